"""Read scores that dask holds, block by block (out of core)."""

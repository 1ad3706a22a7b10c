"""Scores that dask holds in blocks: looked at once, read block by block, never all at once."""

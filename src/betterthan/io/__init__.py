"""Files and frames in, scores or counts out: one module per file format and per layout."""

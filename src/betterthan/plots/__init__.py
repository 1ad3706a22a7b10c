"""One function per figure; each returns its matplotlib axes and leaves no global state behind."""

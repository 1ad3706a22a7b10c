"""Planning in counts: which counts give a verdict, and how probable these are."""

"""May a candidate replace a baseline: the gate of a build."""

"""Decide whether a candidate may replace a baseline: the gate of a build."""

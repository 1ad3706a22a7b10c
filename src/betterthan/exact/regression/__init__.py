"""Least squares, steps and folds."""

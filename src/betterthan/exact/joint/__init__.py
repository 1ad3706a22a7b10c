"""Of all systems at once: their means on shared units, with and without shrinkage."""

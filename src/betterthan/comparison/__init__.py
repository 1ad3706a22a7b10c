"""Compare all pairs of systems: from data to a `Comparison`."""

"""Posteriors with normal priors given their spreads: nested Laplace with exact weights."""

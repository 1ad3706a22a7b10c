"""Quadrature, counting, seeds, weights and errors of sampling."""

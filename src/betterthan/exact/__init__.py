"""Closed forms: arrays in, arrays out."""

"""Scores that come in blocks of items: what each block says, in tables that add up."""

"""Scores beside what people say and do: ratings, reading times, and how far people agree among themselves."""

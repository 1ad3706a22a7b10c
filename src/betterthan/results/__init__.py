"""Answers that show themselves: words first, then the numbers, then how they were made."""

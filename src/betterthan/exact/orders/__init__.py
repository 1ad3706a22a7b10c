"""Of orders."""

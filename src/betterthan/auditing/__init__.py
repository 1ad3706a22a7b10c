"""What would make a comparison wrong, seen in logs and scores before any answer."""

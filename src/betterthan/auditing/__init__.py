"""Check logs and scores for errors that would make a comparison wrong."""

"""Evidence that models and answers are right."""

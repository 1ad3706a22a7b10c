"""Evidence that models and answers are right, for those who change them: no user loads it."""

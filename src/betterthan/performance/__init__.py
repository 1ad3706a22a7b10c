"""Which component scores predict the outcome, and how well."""

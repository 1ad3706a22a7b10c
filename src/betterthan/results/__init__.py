"""Hold results, and show them as text, tables, and reports."""

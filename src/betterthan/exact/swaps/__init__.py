"""Of exchanged responses, and of many p-values."""

"""Of confusion matrices and of F."""

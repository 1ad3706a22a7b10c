"""Files that are damaged on purpose, and what reading them must say."""

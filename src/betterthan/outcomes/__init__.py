"""From scores to outcomes to counts, and between the shapes of counts."""

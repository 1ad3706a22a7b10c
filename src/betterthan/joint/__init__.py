"""What the models beyond two systems say: data sets, clusters, abilities, graded scores; and which to ask."""

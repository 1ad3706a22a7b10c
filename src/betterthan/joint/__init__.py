"""What the models beyond two systems say: data sets, clusters, abilities; and which to ask."""

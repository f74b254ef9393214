"""Training: from a data set to a bundle."""

"""Training a model of bytes: exact counts, pruned and coded, and weights to go with them."""

"""What the mixture adds up: counters of contexts, matches, and sources that predict bytes."""

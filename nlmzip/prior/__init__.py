"""Prior knowledge of the mixing engine: pruned counts of a training text, from file to slots."""

"""Prior knowledge of the engine: pruned counts of a training text, from file to memory."""

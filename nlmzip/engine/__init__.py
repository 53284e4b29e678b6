"""The mixing engine: each byte as eight binary decisions, predicted by a trained mixture."""

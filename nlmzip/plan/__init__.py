"""From options to a recipe, and from a recipe to what codes: which models, how much memory."""

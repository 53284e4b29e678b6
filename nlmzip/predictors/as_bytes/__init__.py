"""Predictors of words, and networks of bytes, as sources of the mixing engine."""

"""Gradients of the networks."""

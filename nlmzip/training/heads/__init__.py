"""Gradients of softmaxes and their mixtures."""

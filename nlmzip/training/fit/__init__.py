"""Fitting a network: batches, Adam, early stopping, networks side by side."""

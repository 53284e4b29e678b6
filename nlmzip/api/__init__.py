"""The Python API: one-shot functions, files, pieces, records, models."""

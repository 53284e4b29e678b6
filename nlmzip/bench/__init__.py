"""Comparison with other compressors: peers, measuring, tables, a picture; called by cli/bench.py."""

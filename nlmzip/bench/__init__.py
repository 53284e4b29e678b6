"""Comparison with other compressors: peers, measurement, tables; called by cli/bench.py."""

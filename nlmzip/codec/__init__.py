"""Codecs: predict, code, perceive; the same code in both directions."""

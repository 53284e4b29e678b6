"""Coding frames: one after the other or on threads, from beginning to end or wherever one reads."""

"""The ground floor: compiled loops whose floats are the same bits on every machine."""

from .compile import njit, part

__all__ = ["njit", "part"]

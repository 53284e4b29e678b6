"""Archives as bytes: header, frames, index and records; codes nothing and needs neither numpy nor numba."""

"""The mixture: weight sets, what chooses them, and secondary estimation."""

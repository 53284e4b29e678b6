"""What stands before the next byte: every context's hash, and the one registry of them."""

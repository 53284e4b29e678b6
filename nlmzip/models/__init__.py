"""Model files: what they hold, how they are checked, and where they are found."""

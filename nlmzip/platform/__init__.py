"""The machine's side: files, folders, signals."""

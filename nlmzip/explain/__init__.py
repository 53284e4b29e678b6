"""The laboratory: one HTML page that shows what each token of a text costs, and why."""

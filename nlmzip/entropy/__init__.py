"""The entropy coder: integer frequencies in, bytes out, and back."""

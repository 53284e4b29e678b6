"""Language models as the coder uses them: predict a distribution, perceive a symbol."""

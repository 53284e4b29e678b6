"""Scripts that measure nlmzip, in folders by what they show; see README.md."""

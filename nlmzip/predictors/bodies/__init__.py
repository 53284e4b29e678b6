"""Networks: what turns the words before into a hidden state."""

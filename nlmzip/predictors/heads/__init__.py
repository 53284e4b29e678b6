"""From a hidden state to a distribution over words: one softmax, or a mixture of several."""

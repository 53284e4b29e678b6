"""Dynamic evaluation (Mikolov et al. 2010; Krause et al. 2018): learn while coding.

After each sentence, or when the network's window is full in text whose sentences do not
end, one plain gradient step is taken on the summed loss of what was just coded. The
decoder has coded the same symbols, so it repeats every step.
"""

import numpy as np

from ..text.vocabulary import SENTENCE_END
from .bodies.network import Network


class DynamicEvaluation:
    """A network as a predictor whose weights follow the text; with step size 0, static."""

    def __init__(self, network: Network, step_size: float):
        self.network = network
        self.vocabulary_size = network.vocabulary_size
        self._step_size = np.float32(step_size)
        self.predict, self.peek = network.predict, network.peek

    def perceive(self, symbol: int) -> None:
        """Take in the symbol that was coded, and learn where a sentence or window ends."""
        network = self.network
        network.perceive(symbol)
        if symbol == SENTENCE_END or network.full:
            if self._step_size:
                network.learn(self._step_size)
            network.advance()

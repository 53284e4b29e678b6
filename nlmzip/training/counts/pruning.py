"""Which counts a model keeps."""

from dataclasses import dataclass

import numpy as np

from .counting import Counts


@dataclass(frozen=True)
class Pruning:
    """A follower stays if seen `followers` times in a context that was seen `contexts` times."""

    followers: int
    contexts: int

    def pruned(self, pairs: Counts) -> Counts:
        """What stays of the counts of a kind of context."""
        if not pairs.count.size:
            return pairs
        which = np.cumsum(np.append(False, pairs.contexts[1:] != pairs.contexts[:-1]))
        often = np.bincount(which, pairs.count)[which] >= self.contexts
        stays = often & (pairs.count >= self.followers)
        return Counts(*(array[stays] for array in pairs))


#: From most counts to fewest. On dev texts (2, 2) is smaller than (1, 4), and better.
PRUNINGS = (
    Pruning(1, 2), Pruning(1, 3), Pruning(2, 2), Pruning(2, 3), Pruning(2, 4), Pruning(3, 4),
    *(Pruning(n, n) for n in (4, 5, 6, 7, 8, 10, 13, 16, 20, 26, 32, 40, 52, 64, 100, 200, 1000)),
)  # fmt: skip

"""The only source of chance in the corpus: splitmix64, in integers, so that every Python draws the same."""

MASK = (1 << 64) - 1


class SplitMix64:
    """Generator of uniform integers (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators")."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        """The next uniform integer of 64 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound):
        """A uniform integer in [0, bound): the high half of a 128-bit product, uneven by less than bound / 2^64."""
        return (self.next() * bound) >> 64

    def shuffled(self, items):
        """A new list of the items in random order (Fisher and Yates)."""
        items = list(items)
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items

"""By which of several codings a stretch of text becomes smallest, told from its beginning.

What is measured is what a frame of each coding would cost a byte. A model is ahead on the first
lines of almost anything that is written in its language; what counts is the whole frame, so the
rate of the beginning's second half is carried on to the end.
"""

#: As much of a stretch at least is coded in each way, more of a long one, and at most so much.
LEAST_HEAD, _MOST_HEAD, _SHARE = 1 << 15, 1 << 18, 1 << 6


def head_bytes(n_bytes: int) -> int:
    """How much of a stretch is coded in each way before one is picked."""
    return min(n_bytes, max(LEAST_HEAD, min(n_bytes // _SHARE, _MOST_HEAD)))


def pick(frame_bytes: int, states, data) -> int:
    """The number of the coding for frames that are cut out of `data` from its beginning on.

    states: one of each coding.
    """
    n_bytes = min(frame_bytes or len(data), len(data))
    head = data[: head_bytes(n_bytes)]
    costs = [bits_a_byte(state.begin(head), n_bytes) for state in states]
    return costs.index(min(costs))


def bits_a_byte(encoding, n_bytes: int) -> float:
    """What a frame of n_bytes costs a byte, as far as the beginning of this one tells."""
    n_head = head_bytes(n_bytes)
    half = encoding.advance(n_head // 2)
    head = encoding.advance(n_head)
    rest = 2 * (n_bytes - n_head) / n_head
    return (head + (head - half) * rest) / n_bytes

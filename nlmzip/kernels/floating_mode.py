"""Whether this process rounds to nearest and keeps denormals, asked of numpy: nothing is compiled.

Called by compile.py and self_test.py.
"""

import numpy as np

#: Bits of 1/3 and of -1/3, of which every other rounding mode changes one.
_THIRDS = [0x3EAAAAAB, 0xBEAAAAAB]


def is_sound() -> bool:
    one, three, least = np.array([1.0, 3.0, 2.0**-126], np.float32)
    thirds = np.array([one / three, -one / three], np.float32)
    # The quotient is denormal: neither it nor the operand that it becomes may count as zero.
    return thirds.view(np.uint32).tolist() == _THIRDS and bool(least / three * three >= least)

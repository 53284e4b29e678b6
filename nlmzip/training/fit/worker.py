"""A process that trains one network; started by side_by_side.py as `python -m nlmzip.training.fit.worker`.

Standard input brings the pickled arguments of `fit`. Standard output takes pickled
messages: (n, figures) after each batch, which is answered by one byte, GO_ON or STOP,
and at last the `Fit`.
"""

import os
import pickle
import signal
import sys

from .fit import fit

GO_ON, STOP = b"g", b"s"


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whether to stop is for the parent to say
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that is printed gets between the messages

    def send(message):
        pickle.dump(message, answers)
        answers.flush()

    def advance(n, **figures):
        send((n, figures))
        reply = requests.read(1)
        if reply == STOP:
            raise KeyboardInterrupt
        if reply != GO_ON:
            sys.exit("nlmzip: the process that wanted this network is gone")

    send(fit(*pickle.load(requests), advance))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How far back the gradients of the Elman network reach: products of Jacobians and their bound.

    dh_T / dh_(T-m) = J_T ... J_(T-m+1),   J_t = diag(1 - h_t^2) W_h^T

Its spectral norm at the last state of held-out sentences, against the product of the factors'
norms (Bengio et al. 1994; Pascanu et al. 2013), and the linear case, W_h^m.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # first: it finds the environment
import numpy as np

from benchmarks.shared.reported import comparison
from benchmarks.study.network_states import networks, sentences, states
from nlmzip.models import catalogue

#: Lag: (median norm, median bound) of a first study's network, whose W_h had norm 3.350.
REPORTED = {
    1: ("2.024", "2.0"), 2: ("2.223", "4.1"), 4: ("1.899", "17.4"), 8: ("1.026", "296"),
    10: ("0.704", "1,241"), 12: ("0.449", "4,786"), 14: ("0.219", "17,656"),
}  # fmt: skip
SATURATED = 0.9
STEPS = 50


def main() -> None:
    parser = harness.parser(__file__, __doc__)
    harness.add_model(parser)
    harness.add_text(parser)
    parser.add_argument("--sentences", type=int, default=200, metavar="N", help="of the text")
    options = parser.parse_args()
    model = catalogue.load(options.model)
    text = sentences(options.text.read_bytes(), model)[: options.sentences]
    with harness.Report(__file__, options) as report:
        report.model(model)
        weights = networks(model)["rnn"]
        lag_table(report, weights, text)
        linear_table(report, weights["recurrent_weights"])


def lag_table(report, weights, text) -> None:
    hidden = [states("rnn", weights, sentence) for sentence in text]
    recurrent = weights["recurrent_weights"]
    found = [through_time(recurrent, state, max(REPORTED)) for state in hidden]
    factors = np.concatenate([norms for _, norms in found])
    saturated = np.mean(np.abs(np.concatenate(hidden)) > SATURATED)
    report.line(f"\n{len(text):,} held-out sentences\n")
    comparison(report, [
        ("spectral norm of W_h", "3.350", f"{norm(recurrent):.3f}", norm(recurrent) > 1),
        ("spectral radius of W_h", "2.131", f"{radius(recurrent):.3f}", radius(recurrent) > 1),
        ("least norm of a factor J_t", "1.62", f"{factors.min():.2f}", factors.min() > 1),
        ("median norm of a factor", "2.06", f"{np.median(factors):.2f}", np.median(factors) > 1),
        (f"units beyond |h| = {SATURATED}", "37.9%", f"{saturated:.1%}", None),
    ])  # fmt: skip
    rows, medians = [], []
    for lag in range(1, max(REPORTED) + 1):
        reaching = [
            (norms[lag - 1], np.prod(each[:lag])) for norms, each in found if len(norms) >= lag
        ]
        if reaching:
            measured, bound = np.median(np.array(reaching), axis=0)
            medians.append(measured)
            before = REPORTED.get(lag, ("-", "-"))
            rows.append(
                [
                    str(lag),
                    before[0],
                    f"{measured:.3f}",
                    before[1],
                    f"{bound:,.1f}",
                    str(len(reaching)),
                ]
            )
    report.line(
        "\nmedian norm of dh_T / dh_(T-m), and of the bound from the norms of its factors\n"
    )
    report.table(
        ["lag m", "reported before", "measured", "bound before", "bound", "sentences"], rows
    )
    below = next((lag for lag, median in enumerate(medians, 1) if median < 1), None)
    report.line(
        f"\nThe norm is largest at lag {np.argmax(medians) + 1} and below one from lag {below} on (reported\n"
        "before: 2 and 9), while the bound only grows. Saturation is in the factors. What their norms\n"
        "do not see is direction: what one factor stretches most the next one does not."
    )


def linear_table(report, recurrent) -> None:
    """Without the tanh: rho^50 for a multiple of the identity, more for the trained matrix."""
    rows = []
    for rho in (0.9, 0.99, 1.0, 1.1):
        diagonal = np.linalg.matrix_power(rho * np.eye(4), STEPS)
        trained = np.linalg.matrix_power(rho / radius(recurrent) * recurrent, STEPS)
        rows.append([f"{rho}", f"{rho**STEPS:.4g}", f"{norm(diagonal):.4g}", f"{norm(trained):.4g}",
                     f"{norm(trained) ** (1 / STEPS):.4f}"])  # fmt: skip
    report.line(f"\nthe linear case, W scaled to spectral radius rho: norm of W^{STEPS}\n")
    report.table(
        ["rho", f"rho^{STEPS}", "diagonal W", "trained W_h, scaled", f"its {STEPS}th root"], rows
    )
    report.line(
        f"\nReported before: 0.9^{STEPS} = 0.0052, 0.99^{STEPS} = 0.60, 1.1^{STEPS} = 117, and that these bound\n"
        "the norm. They do for diagonal and other normal matrices only: in general rho^m is at most\n"
        "the norm of W^m, and only the m-th root of that norm goes to rho (Gelfand's formula)."
    )


def norm(matrix: np.ndarray) -> float:
    """The spectral norm, the largest singular value."""
    return float(np.linalg.norm(matrix, 2))


def radius(matrix: np.ndarray) -> float:
    """The spectral radius, the largest absolute eigenvalue."""
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def jacobians(recurrent: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """J_t = dh_t / dh_(t-1) for all states of a sentence but the first, (T, h) -> (T - 1, h, h)."""
    return (1 - hidden[1:, :, None] ** 2) * recurrent.T


def through_time(recurrent: np.ndarray, hidden: np.ndarray, most: int) -> tuple:
    """Norms of dh_T / dh_(T-m), m = 1, 2, ... at most `most`, and of the factors from J_T back."""
    factors = jacobians(recurrent, hidden)[::-1][:most]
    products = []
    for factor in factors:
        products.append(products[-1] @ factor if products else factor)
    empty = np.zeros((0, *recurrent.shape))
    return tuple(
        np.linalg.norm(np.array(each) if len(each) else empty, 2, axis=(1, 2))
        for each in (products, factors)
    )


if __name__ == "__main__":
    harness.run(main)

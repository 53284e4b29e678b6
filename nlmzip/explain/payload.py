"""All numbers of the page as one JSON value, from the library's own objects.

Called by page.py. What is rounded, and how far, stands beside each column (columns.py).
"""

import numpy as np

from ..codec.words import WordSettings
from ..models.model_file import Model
from ..models.modes import modes, name_of_mode
from ..text.forms import Bytes
from ..text.vocabulary import SENTENCE_END, UNKNOWN
from .bits import PredictorBits, Progress, Reading, measure
from .columns import floats, rounded
from .gradients import gradient_norms
from .network import bounding_matrix, recurrent_parts, unrolled
from .passages import line_starts, sentence_starts
from .seen import CLASSES, event_classes
from .synthetic import synthetic

#: Steps to which columns are rounded: bits of a symbol, bits of a spelling, gap or letter
#: case (of up to 2,000 bits), and log2 of a norm, from 2^-40 on.
BIT_STEP, DETAIL_STEP, NORM_STEP = 2.0**-10, 2.0**-5, 2.0**-10
LEAST_NORM = -40.0
#: States that gradients are followed back to.
N_LAGS = 24
#: The class of an unknown word, after those of event_classes.
UNKNOWN_CLASS = len(CLASSES)


def payload(
    data: bytes,
    name: str,
    model: Model,
    settings: WordSettings,
    n_jacobians: int,
    progress: Progress,
) -> dict:
    """What the page shows of a text that is not empty, under a model of words.

    name: what the page calls it; settings: the predictor that the page begins with, and
    the spelling cache of all; n_jacobians: the tokens whose Jacobians are measured.
    progress is called with units done and in all. Raises ModelError and OptionError.
    """
    chosen = modes(model)
    total = len(data) * (len(chosen) + 1)

    def measured(index: int, predictor: str, dynamic: bool) -> tuple[Reading, PredictorBits]:
        one = settings._replace(predictor=predictor, dynamic=dynamic)
        return measure(
            data, model, one, lambda done, _: progress(index * len(data) + done, total)
        )

    runs = [measured(index, *mode) for index, mode in enumerate(chosen)]
    reading, first = runs[0]
    ends = reading.symbols == SENTENCE_END
    sentences = np.concatenate(([0], np.cumsum(ends)[:-1]))
    bytewise = settings.form == Bytes.name
    starts = line_starts(reading.tokens) if bytewise else sentence_starts(ends)
    return {
        "name": name,
        "bytes": len(data),
        "model": {"name": model.name, "vocabulary": int(model.card["vocabulary_size"])},
        "form": settings.form,
        "words": [_shown(token.word) for token in reading.tokens],
        "gaps": [_shown(token.gap) for token in reading.tokens],
        "ends": "".join(map(str, ends.astype(int))),
        "sentences": starts.tolist(),
        "classes": _classes(reading.symbols, sentences, model),
        "spelling": rounded(first.spelling, DETAIL_STEP),
        "other": rounded(first.other, DETAIL_STEP) if first.other.any() else None,
        "start": chosen.index((settings.predictor, settings.dynamic)),
        "predictors": [
            _predictor(*mode, bits, starts, len(data)) for mode, (_, bits) in zip(chosen, runs)
        ],
        "recurrent": _recurrent(
            model, settings.predictor, reading.symbols, ends, n_jacobians,
            lambda share: progress(int(len(data) * (len(chosen) + share)), total),
        ),
        "synthetic": synthetic(),
    }  # fmt: skip


def _predictor(
    predictor: str, dynamic: bool, bits: PredictorBits, starts: np.ndarray, n_bytes: int
) -> dict:
    return {
        "name": name_of_mode(predictor, dynamic),
        "bits": rounded(bits.words, BIT_STEP),
        "sentences": floats(np.add.reduceat(bits.total, starts)),
        "words": float(bits.words.sum()),
        "spelling": float(bits.spelling.sum()),
        "other": float(bits.other.sum()),
        "information": bits.information,
        "payload_bytes": bits.payload_bytes,
        "bits_per_character": 8 * bits.payload_bytes / n_bytes,
    }


def _classes(symbols: np.ndarray, sentences: np.ndarray, model: Model) -> str | None:
    """A digit for each token: its class in CLASSES, or UNKNOWN_CLASS; None without counts."""
    if "kn" not in model.card["settings"]:
        return None
    classes = np.where(symbols == UNKNOWN, UNKNOWN_CLASS, event_classes(symbols, sentences, model))
    return "".join(map(str, classes))


def _recurrent(
    model: Model, predictor: str, symbols, ends, n_jacobians: int, progress
) -> dict | None:
    """Gradients through the predictor's recurrent network, or else the model's; None if it has none."""
    parts = recurrent_parts(model, predictor)
    if not parts:
        return None
    part, *others = parts
    restarts = np.zeros(len(symbols), bool)
    restarts[0] = True
    if model.card["reset_state"]:
        restarts[1:] = ends[:-1]
    n_jacobians = min(n_jacobians, len(symbols))
    of_all = len(symbols) + n_jacobians
    with np.errstate(all="ignore"):  # weights may be of any size
        network, losses = unrolled(model, part, symbols, restarts)
        norms = gradient_norms(
            network, losses, restarts, N_LAGS, n_jacobians, lambda done: progress(done / of_all)
        )
    return {
        "name": part,
        "others": others,
        "state": ["h", "c"][: network.states.shape[1] // network.width],
        "state_size": network.states.shape[1],
        "lags": N_LAGS,
        "restarts": "".join(map(str, restarts.astype(int))),
        "loss": rounded(_log2(norms.loss), NORM_STEP, LEAST_NORM),
        "jacobians": rounded(_log2(norms.jacobians), NORM_STEP, LEAST_NORM),
        "jacobian_tokens": n_jacobians,
        "matrix": _matrix_norms(bounding_matrix(model, part)),
    }


def _matrix_norms(matrix: np.ndarray | None) -> dict | None:
    """The spectral norm of W_h, whose powers are a bound, and its spectral radius; None of None."""
    if matrix is None:
        return None
    return {
        "spectral_norm": float(np.linalg.norm(matrix, 2)),
        "spectral_radius": float(np.abs(np.linalg.eigvals(matrix)).max()),
    }


def _log2(norms: np.ndarray) -> np.ndarray:
    """log2 of norms, LEAST_NORM of what is smaller or no number."""
    return np.log2(np.fmax(norms, 2.0**LEAST_NORM))


def _shown(piece: bytes) -> str:
    """A word or gap for people: bytes that are no text and control characters as escapes."""
    text = piece.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    return "".join(
        character
        if character.isprintable() or character in "\n\t"
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )

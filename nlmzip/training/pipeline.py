"""From texts to the bytes of a model file; called by the command line.

texts -> tokens -> vocabulary -> Kneser-Ney counts, speller, networks -> rounding to
float16 -> settings chosen on the dev text -> card -> model file.
"""

import hashlib
from collections import Counter
from dataclasses import replace

import numpy as np

from ..entropy.range_coder import Encoder
from ..errors import OptionError
from ..models import model_file
from ..models.model_file import Model
from ..platform import signals
from ..predictors import kneser_ney
from ..text import forms, speller
from ..text.vocabulary import Vocabulary
from ..version import __version__
from . import designs
from .fit.side_by_side import fit_side_by_side
from .options import TrainingOptions
from .preparation import choose_form, keep_apart
from .tuning import AFTER_INTERRUPT, TUNING_TOKENS, Tuner

MOST_DEV_TOKENS = 200_000  # of dev, that networks are judged by after each epoch


def train_model(
    texts: list[bytes], dev: bytes | None, options: TrainingOptions, progress=None
) -> bytes:
    """Train all models on texts and choose their settings on dev: the bytes of a model file.

    `progress` has stage(name, total) and advance(n, **figures), figures such as loss=2.8
    (nats a token). Without dev the end of each text is kept apart for it.
    KeyboardInterrupt while the networks train ends that and keeps their best epochs so
    far; while settings are chosen, the best of those tried. Any other, and a second one,
    is raised. Raises OptionError for texts without a word, NlmzipError if a process dies.
    """
    progress = progress or Silent()
    if dev is None:
        texts, dev = keep_apart(texts)
    progress.stage("reading", len(texts) + 2)
    form = choose_form(texts, dev, options)
    vocabulary, arrays = _words(form, texts, options.vocabulary, progress)
    sentences = [s for text in texts for s in forms.sentences(form, text, vocabulary)]
    if sum(map(len, sentences)) < 2:
        raise OptionError("nothing to train on; give texts of more than a byte")
    progress.advance()
    dev_sentences = list(forms.sentences(form, dev, vocabulary)) or sentences
    progress.advance()
    reset_state = form is forms.Plain if options.reset_state is None else options.reset_state
    tokens, dev_tokens = np.concatenate(sentences), np.concatenate(dev_sentences)

    counts = kneser_ney.count_trigrams(sentences, len(vocabulary), reset_state)
    arrays |= {f"kneser_ney.{name}": array for name, array in counts.items()}
    # Measured before the networks train, when an interrupt has nothing to lose.
    details = _detail_bits(form, vocabulary, arrays, dev)
    results = _train_networks(len(vocabulary), reset_state, tokens, dev_tokens, options, progress)
    interrupted = any(result.interrupted for result in results.values())
    for part, result in results.items():
        # Weights far beyond float16 come from a training that failed: then better finite.
        arrays |= {
            f"{part}.{name}": np.clip(array, -65504, 65504).astype(np.float16)
            for name, array in result.weights.items()
        }

    card = {
        "format": 1,
        "name": options.name,
        "created_by": created_by(),
        "vocabulary_size": len(vocabulary),
        "reset_state": reset_state,
        "text_form": form.name,
        "networks": {part: _describe(part, result, options) for part, result in results.items()},
    }
    tuning_tokens = dev_tokens[: AFTER_INTERRUPT if interrupted else TUNING_TOKENS[options.symbols]]
    model = Model(card, arrays, b"")
    tuner = Tuner(model, ["kn", *results], tuning_tokens, progress.advance, options.mixtures)
    progress.stage("tuning", tuner.n_tokens)
    try:
        tuner.try_all()
    except KeyboardInterrupt:
        if interrupted:
            raise
        tuner.fill_in()
    signals.hold()  # the model is made: it only has to be written
    settings = tuner.settings()
    card |= {
        "settings": settings,
        "default": _best(settings) | {"spelling_cache": 0 < details[True] <= details[False]},
        "training": {
            "bytes": sum(map(len, texts)),
            "sentences": len(sentences),
            "tokens": len(tokens),
            "sha256": hashlib.sha256(b"".join(texts)).hexdigest(),
            "dev_bytes": len(dev),
            "dev_tokens": len(dev_tokens),
            "tuning_tokens": len(tuner.dev),
            "dev_detail_bits": round(min(details.values()), 1),
            "seed": options.seed,
        },
    }
    return model_file.write(card, arrays)


class Silent:
    """Progress that nobody watches."""

    def stage(self, name, total):
        pass

    def advance(self, n=1, **figures):
        pass


def _train_networks(vocabulary_size, reset_state, tokens, dev_tokens, options, progress):
    """{part: Fit} for the networks that the options ask for."""
    jobs = {}
    for part in options.networks:
        network = designs.network(part, options, vocabulary_size, reset_state)
        schedule = replace(designs.schedule(part, options), epochs=options.epochs)
        jobs[part] = (network, tokens, dev_tokens[:MOST_DEV_TOKENS], schedule, options.seed)
    total = len(jobs) * options.epochs * len(tokens)
    n_done = 0
    latest = {}

    def advance(part, n, figures):
        nonlocal n_done
        n_done += n
        latest.update({f"{part}_{name}": round(value, 3) for name, value in figures.items()})
        progress.advance(n, **latest)

    progress.stage("networks", total)
    results = fit_side_by_side(jobs, advance)
    progress.advance(total - n_done)  # what was left when training stopped early
    return results


def _describe(part, result, options):
    """What the card says of a trained network."""
    return {
        **designs.describe(part, options),
        "parameters": sum(array.size for array in result.weights.values()),
        "epoch": result.best_epoch,
        "dev_nats_by_epoch": [round(loss, 4) for loss in result.dev_losses],  # before rounding
    }


def _words(form, texts, most_symbols, progress):
    """The vocabulary of the texts and, where it is not all bytes, its arrays and the speller's."""
    if form is forms.Bytes:
        progress.advance(len(texts))
        return Vocabulary.of_bytes(), {}
    counts = Counter()
    for text in texts:
        counts += forms.count_words(form, text)
        progress.advance()
    if not counts:
        raise OptionError("no word to train on; give texts with words")
    vocabulary = Vocabulary.of_counts(counts, most_symbols)
    return vocabulary, {"vocabulary": vocabulary.pack(), **speller.train(dict.fromkeys(counts, 1))}


def _detail_bits(form, vocabulary, arrays, data):
    """Bits of spellings, letter case and gaps of a text, without and with a spelling cache."""
    answer = {False: 0.0, True: 0.0}
    if form is not forms.Bytes:
        for cache in answer:
            coder, details = Encoder(), form(vocabulary, speller.Speller(arrays), cache)
            for token in details.tokens(data):
                details.code_details(coder, details.symbol(token), token)
            answer[cache] = coder.bits
    return answer


def _best(settings):
    """The predictor that codes dev in the fewest bits."""
    predictor, mode = min(
        ((name, mode) for name, modes in settings.items() for mode in modes),
        key=lambda choice: settings[choice[0]][choice[1]]["dev_nats"],
    )
    return {"predictor": predictor, "dynamic": mode == "dynamic"}


def created_by():
    return f"nlmzip {__version__}"

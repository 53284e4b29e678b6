"""A tiny model for tests: real counts and speller, networks with arbitrary weights.

No training is needed: the coder does not ask whether a network has learnt anything.
"""

import numpy as np

from nlmzip.models import model_file
from nlmzip.predictors.kneser_ney import count_trigrams
from nlmzip.text import speller
from nlmzip.text.forms import Bytes, Plain, count_words, sentences
from nlmzip.text.vocabulary import Vocabulary

TEXT = (
    b"the cow ate the grass\nthe goat ate the hay\nthe dog ate the meat\n"
    b"the sheep grazed on the hill near the river\nthe fox hunted the hen\n"
    b"the cow grazed\nthe goat grazed\nthe cow ate the hay\nthe dog hunted\n"
)

EMBEDDING, HIDDEN, SOFTMAXES = 5, 7, 3


def network_arrays(
    size: int, context: int = 2, seed: int = 7, networks=("nplm", "rnn"), hidden: int = HIDDEN,
    head: str = "softmax", tied: bool = False, direct: bool = False,
) -> dict:  # fmt: skip
    """Arbitrary float16 weights of networks of this design over `size` symbols.

    direct: of the NPLM, which then has to be the only network.
    """
    generator = np.random.default_rng(seed)

    def weights(*shape):
        return (generator.standard_normal(shape) * 0.4).astype(np.float16)

    d, h = EMBEDDING, hidden
    bodies = {
        "nplm": {"hidden_weights": (context * d, h), "hidden_bias": (h,)},
        "rnn": {"input_weights": (d, h), "recurrent_weights": (h, h), "hidden_bias": (h,)},
        "lstm": {"input_weights": (d, 4 * h), "recurrent_weights": (h, 4 * h), "hidden_bias": (4 * h,)},
        "gru": {
            "input_weights": (d, 3 * h), "recurrent_weights": (h, 2 * h), "candidate_weights": (h, h),
            "hidden_bias": (3 * h,),
        },
        "mgu": {
            "input_weights": (d, 2 * h), "recurrent_weights": (h, h), "candidate_weights": (h, h),
            "hidden_bias": (2 * h,),
        },
    }  # fmt: skip
    k, read = SOFTMAXES, h + (context * d if direct else 0)
    projected = d if tied else read
    mixing = {
        "prior_weights": (read, k), "prior_bias": (k,),
        "projection_weights": (read, k * projected), "projection_bias": (k * projected,),
    }  # fmt: skip
    tie = {} if read == projected else {"tie_weights": (read, d)}
    heads = {"softmax": tie, "mos": mixing, "moc": mixing}
    output = {} if tied else {"output_weights": (read, size)}
    return {
        f"{name}.{array}": weights(*shape)
        for name, body in bodies.items()
        for array, shape in {
            "embedding": (size + 1, d), **body, **heads[head], **output, "output_bias": (size,),
        }.items()
        if name in networks
    }  # fmt: skip


def network_card(networks, head: str = "softmax", tied: bool = False, direct: bool = False) -> dict:
    """What a card says of networks of this design."""
    design = {} if head == "softmax" else {"head": head, "softmaxes": SOFTMAXES}
    if tied:
        design["tied"] = True
    return {name: design | ({"direct": True} if direct else {}) for name in networks}


def settings(networks=("nplm", "rnn")) -> dict:
    """Settings of Kneser-Ney, of these networks, and of all together, as if tuned."""

    def network(weights):
        dynamic = {"weights": weights, "step_size": 0.05, "interval": 8, "dev_nats": 2.0}
        return {"static": {"weights": weights, "dev_nats": 2.5}, "dynamic": dynamic}

    shares = {"nplm": 0.625}
    several = {}
    if len(networks) > 2:
        several["+".join(["kn", *networks])] = together = network([0.375] * len(networks))
        together["dynamic"]["step_size"] = [0.05 / n for n in range(1, len(networks) + 1)]
    return {
        **several,
        "kn": {"static": {"weights": [], "dev_nats": 3.0}},
        **{name: network([]) for name in networks},
        **{f"kn+{name}": network([shares.get(name, 0.75)]) for name in networks},
    }


def model_bytes(
    name: str = "tiny", reset_state: bool = True, text: bytes = TEXT, form: str = "plain",
    networks=("nplm", "rnn"), hidden: int = HIDDEN, **design,
) -> bytes:  # fmt: skip
    """The bytes of a tiny model file, the same at every call.

    form: of the text it is for; hidden and design (head, tied, direct): as in network_arrays.
    """
    if form == "bytes":
        read, vocabulary, reset_state = Bytes, Vocabulary.of_bytes(), False
        words, spelling = {}, {}
    else:
        read, counts = Plain, count_words(Plain, text)
        vocabulary = Vocabulary.of_counts({word: n for word, n in counts.items() if n > 1})
        words, spelling = {"vocabulary": vocabulary.pack()}, speller.train(counts)
    size = len(vocabulary)
    trigrams = count_trigrams(list(sentences(read, text, vocabulary)), size, reset_state)
    card = {
        "format": 1,
        "name": name,
        "vocabulary_size": size,
        "reset_state": reset_state,
        "text_form": form,
        "settings": settings(networks),
        "default": {"predictor": f"kn+{networks[-1]}", "dynamic": True, "spelling_cache": True},
    }
    of_networks = network_arrays(size, networks=networks, hidden=hidden, **design)
    if design:
        card["networks"] = network_card(networks, **design)
    arrays = {**words, **of_networks, **spelling}
    arrays |= {f"kneser_ney.{key}": array for key, array in trigrams.items()}
    return model_file.write(card, arrays)

"""What a model's card must say before anything believes it.

A model file comes from anywhere, its digest proves only that it is whole, and kernels
check no bounds: so every value that decides a size, an index or a float of the coding
path is checked here, once, when a model is read. Called by model_file.py.
"""

import math

from .networks import NETWORKS, PREDICTOR_BITS

#: Most symbols of a vocabulary (entropy/frequencies.py) and most steps learnt at once.
MAXIMUM_VOCABULARY = 1 << 18
MAXIMUM_INTERVAL = 4096
MAXIMUM_STEP_SIZE = 1e6
MAXIMUM_DEPTH = 12
MAXIMUM_LEVEL = 9
#: Heads of networks: one softmax, and mixtures of softmaxes and of contexts, of how many.
HEADS = ("softmax", "mos", "moc")
MAXIMUM_SOFTMAXES = 32
#: What a card says of a model's counts (counts/counts_file.py).
COUNTS = ("contexts", "followers", "total", "words", "skipping")
#: And what it says only where it is not 6, of the longest byte contexts.
ORDERS = "orders"


class CardError(ValueError):
    """What is wrong with a card, in a few words."""


def check_entries(card: dict) -> None:
    """Check what every model file has: a name, and the list of its arrays."""
    name = card.get("name")
    _require(isinstance(name, str) and 0 < len(name) <= 255, "it has no name")
    _require(_is_unicode(name), "its name is no text")
    _require(isinstance(card.get("arrays"), list), "it lists no arrays")
    _require(_depth(card) <= MAXIMUM_DEPTH, "its card is too deep")
    for entry in card["arrays"]:
        _require(isinstance(entry, dict), "an array is not described")
        _require(isinstance(entry.get("name"), str), "an array has no name")
        _require(isinstance(entry.get("dtype"), str), "an array has no type")
        _require(_is_size(entry.get("bytes")), "an array has no length")
        shape = entry.get("shape")
        _require(isinstance(shape, list) and all(map(_is_size, shape)), "an array has no shape")
    names = {entry["name"] for entry in card["arrays"]}
    _require(len(names) == len(card["arrays"]), "an array stands there twice")


def check_word_model(card: dict) -> None:
    """Check what coding words asks of a card: sizes, settings, and the best of them."""
    size = card.get("vocabulary_size")
    _require(_is_size(size) and 2 <= size <= MAXIMUM_VOCABULARY, "vocabulary_size")
    _require(isinstance(card.get("reset_state"), bool), "reset_state")
    settings = card.get("settings")
    _require(isinstance(settings, dict), "settings")
    for predictor, modes in settings.items():
        parts = predictor.split("+")
        _require(set(parts) <= set(PREDICTOR_BITS) and len(set(parts)) == len(parts), "a predictor")
        _require(isinstance(modes, dict), f"settings of {predictor}")
        for mode, values in modes.items():
            _require(mode in ("static", "dynamic"), f"settings of {predictor}")
            _check_settings(predictor, parts, mode, values)
    networks = card.get("networks", {})
    _require(isinstance(networks, dict) and set(networks) <= set(NETWORKS), "networks")
    for part, network in networks.items():
        _require(isinstance(network, dict), f"networks, {part}")
        _check_head(part, network)
        for switch in ("tied", "direct"):
            _require(isinstance(network.get(switch, False), bool), f"{switch} of {part}")
        _require(NETWORKS[part].direct or not network.get("direct"), f"direct of {part}")
    best = card.get("default")
    _require(isinstance(best, dict), "default")
    _require(best.get("predictor") in ["uniform", *settings], "default predictor")
    for switch in ("dynamic", "spelling_cache"):
        _require(isinstance(best.get(switch), bool), f"default {switch}")
    mode = "dynamic" if best["dynamic"] else "static"
    known = ["static"] if best["predictor"] == "uniform" else settings[best["predictor"]]
    _require(mode in known, f"default {mode}")


def check_byte_model(card: dict) -> None:
    """Check what the engine asks of a card: the numbers of counts, and the levels."""
    counts = card.get("counts")
    _require(isinstance(counts, dict) and set(counts) - {ORDERS} == set(COUNTS), "counts")
    _require(all(_is_size(counts[key]) for key in counts if key != "skipping"), "counts")
    _require(isinstance(counts["skipping"], bool), "counts")
    levels = card.get("levels")
    _require(isinstance(levels, list) and bool(levels), "levels")
    _require(all(_is_size(level) and 1 <= level <= MAXIMUM_LEVEL for level in levels), "levels")
    numbers = card.get("numbers", {})
    _require(isinstance(numbers, dict) and all(map(_is_size, numbers.values())), "numbers")
    dtypes = {entry["name"]: entry["dtype"] for entry in card["arrays"]}
    _require(dtypes.get("counts") == "u1", "counts")


def _check_settings(predictor: str, parts: list[str], mode: str, values) -> None:
    place = f"settings of {predictor}"
    _require(isinstance(values, dict), place)
    weights = values.get("weights")
    _require(isinstance(weights, list) and len(weights) == len(parts) - 1, f"weights of {predictor}")
    _require(all(_is_number(w) and 0 <= w <= 1 for w in weights), f"weights of {predictor}")
    _require(_is_number(values.get("dev_nats")), f"dev_nats of {predictor}")
    if mode == "dynamic":
        steps, interval = values.get("step_size"), values.get("interval")
        n_networks = len(parts) - ("kn" in parts)
        one_each = isinstance(steps, list) and len(steps) == n_networks  # else one for all
        for step in steps if one_each else [steps]:
            _require(_is_number(step) and 0 <= step <= MAXIMUM_STEP_SIZE, f"step_size of {predictor}")
        _require(_is_size(interval) and 1 <= interval <= MAXIMUM_INTERVAL, f"interval of {predictor}")


def _check_head(part: str, network: dict) -> None:
    head, n = network.get("head", "softmax"), network.get("softmaxes")
    _require(head in HEADS, f"head of {part}")
    if head != "softmax":
        _require(_is_size(n) and 1 <= n <= MAXIMUM_SOFTMAXES, f"softmaxes of {part}")


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise CardError(what)


def _is_size(value) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


def _is_number(value) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300 and math.isfinite(value)


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _depth(value, limit: int = MAXIMUM_DEPTH) -> int:
    """Levels of lists and dictionaries, as far as one past `limit`."""
    if limit < 0 or not isinstance(value, (dict, list)):
        return 0
    inside = value.values() if isinstance(value, dict) else value
    return 1 + max((_depth(each, limit - 1) for each in inside), default=0)

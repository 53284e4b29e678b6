"""The small fixed set of archives that cross_machine.py makes on every machine.

Every predictor of a tiny model of words, static and dynamic, each head, a network of bytes,
each level of the engine with and without a tiny model of bytes, words in the mixture, and texts in
several frames. Nothing is trained: the models are those of the tests, since bits do not ask what was
learnt, and compiling the kernels takes nearly all of the time on an emulated machine.
"""

import json
import shutil
import sys
from pathlib import Path

import harness

GOLDEN = harness.ROOT / "tests" / "golden"

NETWORKS = ("nplm", "rnn", "lstm", "gru", "mgu")
TOGETHER = "kn+nplm+rnn+lstm+gru+mgu"
LEVELS = range(1, 10)

#: Golden models of one network each and of a design of its own.
DESIGNS = {"mos": "lstm", "moc": "nplm", "direct": "nplm", "tied": "rnn", "tied-mos": "nplm"}

ANIMALS = b"cow zebra goat dog fox sheep hen unicorn".split()
DEEDS = b"ate the hay, grazed, hunted the hen, ate the grass near the river, ran, saw the old hill".split(b", ")
#: Sentences of known and unknown words in no order that an engine alone would find at once.
PLAIN = b"".join(
    b"the %s %s\n" % (ANIMALS[n * n * 7 % 61 % len(ANIMALS)], DEEDS[n * n * 5 % 47 % len(DEEDS)]) for n in range(45)
)
#: All byte values, both line ends, columns, words of all cases, and repeats for long matches.
PROSE = b"".join(
    b"%3d\tThe %d SHEEP that grazed near the river ate %d of it;\r\n" % (n, n % 7, n * n % 11) for n in range(12)
)
PROSE += "“The Cow,” he said, ate 17 of it!\n\tTHE ZEBRA (the zebra) grazed…\n\n".encode() * 3
PROSE += bytes(range(256)) + PROSE[100:700]


def items() -> list[dict]:
    """Name, text, models and options of compress for each archive of the set."""
    found = []

    def add(name: str, text: str, models, **options) -> None:
        found.append({"name": name, "text": text, "models": models, "options": options})

    def words(name: str, text: str, model: str, codec: str, predictor: str, dynamic: bool, *more: str) -> None:
        mode = "dynamic" if dynamic else "static"
        options = {"codec": codec, "predictor": predictor, "dynamic": dynamic}
        add(f"{codec}: {name} {mode}", text, [model, *more], **options)

    for predictor in ("uniform", "kn"):
        words(predictor, "plain", "networks", "words", predictor, False)
    for predictor in (*NETWORKS, *(f"kn+{network}" for network in NETWORKS), TOGETHER):
        for dynamic in (False, True):
            words(predictor, "plain", "networks", "words", predictor, dynamic)
    words("general text, kn+rnn", "prose", "golden-general", "words", "kn+rnn", True)
    for design, network in DESIGNS.items():
        words(f"{design} {network}", "plain", f"golden-{design}", "words", f"kn+{network}", True)
    for dynamic in (False, True):
        words("kn+lstm of bytes", "plain", "golden-of-bytes", "words", "kn+lstm", dynamic)
    words("lstm of bytes", "prose", "golden-of-bytes", "words", "lstm", True)
    for level in LEVELS:
        add(f"mix -{level}", "prose", "none", level=level)
    for level in LEVELS:
        add(f"mix -{level}, model of bytes", "prose", ["bytes"], level=level)
    for reach in ("long", "longest"):
        add(f"mix, {reach} model of bytes", "prose", [f"golden-{reach}"])
    words("kn", "plain", "networks", "mix", "kn", False)
    words(TOGETHER, "plain", "networks", "mix", TOGETHER, False)
    words(TOGETHER, "plain", "networks", "mix", TOGETHER, True)
    words("general text, kn+rnn", "prose", "golden-general", "mix", "kn+rnn", True)
    words("mos lstm", "plain", "golden-mos", "mix", "kn+lstm", True)
    words("lstm of bytes", "prose", "golden-of-bytes", "mix", "lstm", True)
    words("kn+rnn, model of bytes", "plain", "golden", "mix", "kn+rnn", True, "golden-long")
    add("words: frames", "prose", ["golden-general"], codec="words", frame=700)
    add("mix, long model of bytes: frames", "prose", ["golden-long"], frame=700)
    return found


def lay(folder: Path, matching: str = "") -> list[dict]:
    """Write models, texts and the list of what to code into an empty `folder`; the list.

    matching: only archives with this in their names.
    """
    sys.path.insert(0, str(harness.ROOT / "tests"))
    import naive_prior
    import tiny

    chosen = [item for item in items() if matching in item["name"]]
    for name in ("models", "texts", "archives"):
        (folder / name).mkdir()
    for name, text in {"plain": PLAIN, "prose": PROSE}.items():
        (folder / "texts" / name).write_bytes(text)
    for golden in GOLDEN.glob("*.nlm"):
        shutil.copy(golden, folder / "models")
    made = {
        "networks": tiny.model_bytes("networks", networks=NETWORKS),
        "bytes": naive_prior.model_bytes(levels=tuple(LEVELS)),
    }
    for name, content in made.items():
        (folder / "models" / f"{name}.nlm").write_bytes(content)
    (folder / "set.json").write_text(json.dumps(chosen))
    return chosen

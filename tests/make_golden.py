"""Writes the golden archives that do not exist yet: `PYTHONPATH=. python tests/make_golden.py`.

An archive that stands in tests/golden/ is never written again. A change that breaks one
needs a new format version, beside the reader of the old one.
"""

import io
from pathlib import Path

import naive_prior
import tiny

import nlmzip
from nlmzip.engine import byte_model, primed
from nlmzip.engine.inputs import counted
from nlmzip.execute.encode import write_model
from nlmzip.models import model_file

FOLDER = Path(__file__).with_name("golden")

ORIGINALS = {
    "plain": b"the cow ate the grass\nthe zebra ate the hay near the hill\nthe zebra grazed\n\n",
    "general": "“The Cow,” he said, ate 17 of it!\r\n\tTHE ZEBRA (the zebra) grazed…\n\n".encode() * 4
    + b"\xff\x00 the end\r\n\r\nOf a zebra: "
    + b"it, the cow; the goat, the hay (or the grass) - " * 4
    + b"and a brontosaurus.\n",
    "stored": bytes(range(40)),
}

SETTINGS = [
    ("uniform", False), ("kn", False), ("nplm", False), ("nplm", True), ("rnn", False),
    ("rnn", True), ("kn+nplm", False), ("kn+nplm", True), ("kn+rnn", False), ("kn+rnn", True),
]  # fmt: skip


#: A network and its design for each golden model of networks, golden-NAME.nlm.
NETWORKS = {
    "lstm": ("lstm", {}), "gru": ("gru", {}), "mgu": ("mgu", {}), "mos": ("lstm", {"head": "mos"}), "moc": ("nplm", {"head": "moc"}),
    "direct": ("nplm", {"direct": True}), "tied": ("rnn", {"tied": True}),
    "tied-mos": ("nplm", {"tied": True, "direct": True, "head": "mos"}),
    "of-bytes": ("lstm", {"form": "bytes"}),
}  # fmt: skip


def write_once(path: Path, data: bytes) -> None:
    if not path.exists():
        path.write_bytes(data)


def small_model(name: str, words: int, orders: int) -> bytes:
    """A model of bytes whose start has learnt nothing, so that its file is small."""
    card, arrays = naive_prior.model_entries(words, name=name, orders=orders)
    begun = primed.untrained(byte_model.design_of(card, 5))
    begun = begun._replace(history=counted.with_first_probabilities(begun.history))
    return model_file.write(card, arrays | {f"level5.{k}": v for k, v in primed.pack(begun).items()})


def of_records(data: bytes, delimiter: "bytes | None") -> bytes:
    """The lines of a text as records, a few in each frame."""
    written = io.BytesIO()
    with nlmzip.RecordWriter(written, delimiter=delimiter, model="none", level=1, frame=100) as writer:
        for line in data.split(b"\n")[:-1]:
            writer.write(line + (b"\n" if delimiter is None else b""))
    return written.getvalue()


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    model = FOLDER / "golden.nlm"
    write_once(model, tiny.model_bytes("golden"))
    general = FOLDER / "golden-general.nlm"
    write_once(general, tiny.model_bytes("golden-general", form="general"))
    reaches = {"short": (2, 6), "long": (4, 6), "longest": (4, 8)}
    for reach, farthest in reaches.items():
        write_once(FOLDER / f"golden-{reach}.nlm", small_model(f"golden-{reach}", *farthest))
    for name, data in ORIGINALS.items():
        write_once(FOLDER / f"{name}.txt", data)
        if name != "stored":
            write_once(FOLDER / f"{name}.mix.nlmz", nlmzip.compress(data, model="none"))
            write_once(FOLDER / f"{name}.frames.nlmz", nlmzip.compress(data, frame=100))
            for kind, delimiter in (("records", None), ("lines", b"\n")):
                write_once(FOLDER / f"{name}.{kind}.nlmz", of_records(data, delimiter))
            for reach in reaches:
                bytes_model = FOLDER / f"golden-{reach}.nlm"
                coded = nlmzip.compress(data, model=bytes_model)
                write_once(FOLDER / f"{name}.bytes.{reach}.nlmz", coded)
                both = nlmzip.compress(data, model=[bytes_model, model], predictor="kn+rnn")
                write_once(FOLDER / f"{name}.bytes.{reach}.with-words.nlmz", both)
            write_once(FOLDER / f"{name}.english.nlmz", nlmzip.compress(data, model="english"))
            own = nlmzip.compress(data, model=model, predictor="kn+rnn", dynamic=True, store_name=False)
            brought = write_model(model.read_bytes())
            write_once(FOLDER / f"{name}.embedded.nlmz", brought + own)
            for design, (network, arguments) in NETWORKS.items():
                of_network = FOLDER / f"golden-{design}.nlm"
                write_once(of_network, tiny.model_bytes(of_network.stem, networks=(network,), **arguments))
                for codec in ("words", "mix"):
                    chosen = {"codec": codec, "model": of_network}
                    static = nlmzip.compress(data, predictor=network, dynamic=False, **chosen)
                    write_once(FOLDER / f"{name}.{design}.{codec}.static.nlmz", static)
                    dynamic = nlmzip.compress(data, predictor=f"kn+{network}", dynamic=True, **chosen)
                    write_once(FOLDER / f"{name}.{design}.{codec}.dynamic.nlmz", dynamic)
            for level in (1, 2, 3, 4, 6, 7, 8, 9):
                write_once(FOLDER / f"{name}.mix.level-{level}.nlmz", nlmzip.compress(data, model="none", level=level))
        for predictor, dynamic in SETTINGS:
            mode = "dynamic" if dynamic else "static"
            chosen = {"model": model, "predictor": predictor, "dynamic": dynamic}
            coded = nlmzip.compress(data, codec="words", **chosen)
            if name == "stored":
                write_once(FOLDER / "stored.nlmz", coded)
                break
            write_once(FOLDER / f"{name}.{predictor}.{mode}.nlmz", coded)
            for form, words in (("plain", model), ("general", general)):
                mixed = nlmzip.compress(data, **chosen | {"model": words})
                write_once(FOLDER / f"{name}.mix.{form}.{predictor}.{mode}.nlmz", mixed)


if __name__ == "__main__":
    main()

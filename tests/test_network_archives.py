"""Archives under each network, in both codecs: they decode, also on an older processor."""

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tiny
from test_words import TEXTS

import nlmzip
from nlmzip.errors import OptionError
from nlmzip.models import model_file

NETWORKS = ("nplm", "rnn", "lstm", "gru", "mgu")
ALL = "kn+nplm+rnn+lstm+gru+mgu"
CODED = ["one byte", "plain with unknown words", "prose", "invalid UTF-8", "CRLF"]
GOLDEN = Path(__file__).parent / "golden"


@functools.cache
def model(reset_state=True):
    return model_file.read(tiny.model_bytes("networks", reset_state, networks=NETWORKS))


@pytest.mark.parametrize("codec", ["words", "mix"])
@pytest.mark.parametrize("reset_state", [True, False])
@pytest.mark.parametrize(
    "predictor, dynamic", [("lstm", False), ("kn+lstm", True), ("gru", False), ("kn+gru", True), (ALL, False), (ALL, True)]
)
def test_texts_round_trip(codec, reset_state, predictor, dynamic):
    for name in CODED:
        chosen = {"model": model(reset_state), "codec": codec, "predictor": predictor, "dynamic": dynamic}
        coded = nlmzip.compress(TEXTS[name], **chosen)
        assert nlmzip.decompress(coded, model=model(reset_state)) == TEXTS[name], name


DESIGNS = [
    ("rnn", {"head": "mos"}), ("nplm", {"head": "moc"}), ("rnn", {"tied": True}),
    ("nplm", {"direct": True}), ("nplm", {"tied": True, "direct": True, "head": "mos"}),
]  # fmt: skip


@pytest.mark.parametrize("codec", ["words", "mix"])
@pytest.mark.parametrize("network, design", DESIGNS, ids=str)
def test_texts_round_trip_under_each_design(codec, network, design):
    of_design = model_file.read(tiny.model_bytes(networks=(network,), **design))
    for predictor, dynamic in ((network, False), (f"kn+{network}", True)):
        for name in CODED:
            chosen = {"model": of_design, "codec": codec, "predictor": predictor, "dynamic": dynamic}
            coded = nlmzip.compress(TEXTS[name], **chosen)
            assert nlmzip.decompress(coded, model=of_design) == TEXTS[name], name


@pytest.mark.parametrize("predictor", ["lstm", "gru", ALL])
def test_dynamic_evaluation_makes_repetition_cheaper(predictor):
    data = b"the dog grazed on the river\n" * 40
    static, dynamic = (
        len(nlmzip.compress(data, model=model(), codec="words", predictor=predictor, dynamic=mode))
        for mode in (False, True)
    )
    assert dynamic < 0.9 * static


def test_a_mixture_without_weights_is_told_with_what_to_do():
    with pytest.raises(OptionError, match="no predictor kn.rnn.lstm.*nlmzip train --codec words --predictor kn.rnn.lstm"):
        nlmzip.compress(b"text", model=model(), predictor="kn+rnn+lstm", dynamic=False)


def test_golden_archives_of_networks_decode_the_same_on_an_old_machine():
    if os.uname().machine != "x86_64":
        pytest.skip("nehalem is an x86-64 processor")
    code = f"""
import nlmzip, pathlib
folder = pathlib.Path({str(GOLDEN)!r})
models = sorted(folder.glob("*.nlm"))
paths = [path for path in folder.glob("plain.*.words.dynamic.nlmz")]
assert len(paths) > 0
for path in paths:
    assert nlmzip.decompress(path.read_bytes(), model=models) == (folder / "plain.txt").read_bytes(), path
"""
    environment = os.environ | {"NUMBA_CPU_NAME": "nehalem", "NUMBA_CPU_FEATURES": ""}
    shown = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr


@pytest.mark.parametrize("reach", ["short", "long", "longest"])
def test_all_networks_find_room_beside_a_model_of_bytes(reach, monkeypatch, tmp_path):
    """The mixture of five parts is a sixth distribution, for which some engines have to grow."""
    monkeypatch.setenv("NLMZIP_CACHE", str(tmp_path))
    models = [GOLDEN / f"golden-{reach}.nlm", model()]
    coded = nlmzip.compress(TEXTS["prose"], model=models, predictor=ALL, dynamic=True)
    assert nlmzip.decompress(coded, model=models) == TEXTS["prose"]

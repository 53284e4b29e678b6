"""Prior knowledge in the same bits on another processor: counts, what is decoded, and archives."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
SCRIPT = """
import hashlib
import naive_prior
from nlmzip.codec import mix
from nlmzip.models import model_file
from nlmzip.engine import byte_model
from nlmzip.engine.profiles import MOST_SLOTS_BESIDE_COUNTS
from nlmzip.counts import counts_file

def digest(*parts):
    return hashlib.sha256(b"".join(bytes(part) for part in parts)).hexdigest()[:16]

text = naive_prior.text_of(4000, 9) + bytes(range(256))
for words, orders in ((2, 6), (4, 6), (4, 8)):
    coded, known = naive_prior.coded(words, words < 3, orders)
    decoded = counts_file.decode(coded)
    design = byte_model.design_of({"counts": {"words": words, "orders": orders}}, 5)
    begin = byte_model.Beginning(naive_prior.start_of(design), design, MOST_SLOTS_BESIDE_COUNTS, decoded)
    payload = mix.encode(text, begin)
    assert mix.decode(payload, len(text), begin) == text
    print(digest(coded.payload), digest(known.starts, known.data), digest(decoded.starts, decoded.data), digest(payload))
"""


def run(**variables: str) -> list[str]:
    """What the script prints where these variables are set."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS)])} | variables
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_another_processor_codes_and_decodes_the_same():
    here, there = run(), run(NUMBA_CPU_NAME="nehalem", NUMBA_CPU_FEATURES="")
    assert len(here) == 12 and here == there
    assert all(here[place] == here[place + 1] for place in (1, 5, 9))

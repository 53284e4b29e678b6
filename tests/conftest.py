"""Fixtures that several tests share."""

import os
import sys
from pathlib import Path

import hypothesis
import pytest
import tiny

from nlmzip.models import model_file

# Unpacking the shipped model takes a while: tests that are not of it code without it.
os.environ["NLMZIP_MODEL"] = "none"

# The scripts of benchmarks/ and what stands beside them import their harness by its name.
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

# A first example may have to compile its kernels.
hypothesis.settings.register_profile("nlmzip", deadline=None)
hypothesis.settings.load_profile("nlmzip")


@pytest.fixture(scope="session")
def tiny_model():
    """A model of a few words whose networks have arbitrary weights."""
    return model_file.read(tiny.model_bytes())

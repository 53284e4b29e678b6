"""Fixtures that several tests share."""

import pytest
import tiny

from nlmzip.models import model_file


@pytest.fixture(scope="session")
def tiny_model():
    """A model of a few words whose networks have arbitrary weights."""
    return model_file.read(tiny.model_bytes())

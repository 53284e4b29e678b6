"""The Python API: its examples run, and importing it costs next to nothing."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import nlmzip
from nlmzip.api import codec, file, incremental, model, records
from nlmzip.models import catalogue


@pytest.mark.skipif(not catalogue.available(), reason="the package was built without its models")
def test_the_examples_of_the_package_are_true():
    assert doctest.testmod(nlmzip).failed == 0
    assert doctest.testmod(nlmzip).attempted > 0


@pytest.mark.skipif(not catalogue.available(), reason="the package was built without its models")
def test_the_examples_of_the_readme_are_true():
    readme = Path(__file__).parents[1] / "README.md"
    result = doctest.testfile(str(readme), module_relative=False)
    assert result.failed == 0 and result.attempted > 4


DOCS = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.name)
def test_the_examples_of_the_documentation_are_true(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert doctest.testfile(str(document), module_relative=False).failed == 0


def test_the_examples_of_the_classes_are_true():
    for module in (codec, file, incremental, model, records):
        result = doctest.testmod(module)
        assert result.failed == 0 and result.attempted > 0, module


def test_importing_the_package_imports_neither_numpy_nor_numba():
    code = "import sys, nlmzip; print({'numpy', 'numba'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert shown.stdout.strip() == "set()"


def test_progress_is_told_in_bytes(tiny_model):
    calls = []
    data = b"the cow ate the grass\n" * 200
    coded = nlmzip.compress(data, model=tiny_model, progress=lambda *call: calls.append(call))
    done, totals = zip(*calls)
    assert set(totals) == {len(data)} and list(done) == sorted(done) and 0 < done[-1] <= len(data)
    calls.clear()
    nlmzip.decompress(coded + coded, model=tiny_model, progress=lambda *call: calls.append(call))
    assert {total for _, total in calls} == {2 * len(data)}
    assert max(done for done, _ in calls) > len(data)

"""Prints, as JSON, what each kernel of the coding path compiled to: run in a fresh process.

numba shows neither types nor machine code of a kernel that came out of its cache, so
the caller points the cache to where none can be.
"""

import importlib
import json
import pkgutil
import re
import sys

import naive_prior
import tiny

import nlmzip
from nlmzip.kernels.compile import CACHE_FOLDER
from nlmzip.models import model_file

FORBIDDEN = re.compile(
    r"\b(v?fn?m(add|sub)\w*|fml[as]|_*(svml\w*|(exp|exp2|expm1|tanh|log|log2|pow|sin|cos)f?))\b"
)


def kernels() -> dict:
    """Every compiled function of nlmzip by its qualified name."""
    found = {}
    for floor in ("kernels", "entropy", "text", "models", "codec", "mixing", "prior"):
        package = importlib.import_module(f"nlmzip.{floor}")
        for information in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(information.name)).items():
                if hasattr(value, "py_func") and value.py_func.__module__ == information.name:
                    found[f"{information.name}.{name}"] = value
    return found


def describe(kernel) -> dict:
    lines = [
        line
        for signature in kernel.signatures
        for line in kernel.inspect_asm(signature).splitlines()
        if line.startswith("\t") and not line.startswith("\t.")
    ]
    types = {
        str(type_)
        for signature in kernel.signatures
        for type_ in kernel.overloads[signature].type_annotation.typemap.values()
    }
    forbidden = [line.strip() for line in lines if FORBIDDEN.search(line) and ".const." not in line]
    counting = [line.strip() for line in lines if "NRT_incref" in line or "NRT_decref" in line]
    return {
        "instructions": len(lines),
        "types": sorted(types),
        "forbidden": forbidden[:3],
        "counting": counting[:3],
    }


def main() -> None:
    assert CACHE_FOLDER is None, "cached kernels cannot be read"
    text = b"The cow ate. The zebra; the zebra\n" * 9
    networks = "nplm", "rnn", "lstm", "gru"
    model = model_file.read(tiny.model_bytes(networks=networks))
    for design in ({"head": "mos"}, {"head": "moc"}, {"tied": True}):
        of_design = model_file.read(tiny.model_bytes(**design))
        for predictor in ("nplm", "rnn"):
            nlmzip.compress(text, model=of_design, codec="words", predictor=predictor, dynamic=True)
    for predictor in networks:
        for codec in ("words", "mix"):
            archive = nlmzip.compress(
                text, model=model, codec=codec, predictor=f"kn+{predictor}", dynamic=True
            )
            assert nlmzip.decompress(archive, model=model) == text
    for level in (1, 5, 9):
        assert nlmzip.decompress(nlmzip.compress(text, model="none", level=level)) == text
    of_bytes = model_file.read(naive_prior.model_bytes())
    assert nlmzip.decompress(nlmzip.compress(text, model=of_bytes), model=of_bytes) == text
    used = {name: kernel for name, kernel in kernels().items() if kernel.signatures}
    json.dump({name: describe(kernel) for name, kernel in used.items()}, sys.stdout)


main()

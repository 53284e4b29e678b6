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
from nlmzip.codec import mix
from nlmzip.engine import byte_model
from nlmzip.kernels.compile import CACHE_FOLDER, KERNEL_FLOORS
from nlmzip.models import model_file

#: Functions of the C library, and the vector libraries that stand in for them.
LIBRARY = "exp exp2 exp10 expm1 log log2 log10 log1p pow sqrt cbrt fma fmod tanh sin cos tan sinh cosh asin acos atan atan2"
#: Fused instructions of x86-64 and aarch64, with the vectors of both; calls into a library.
FORBIDDEN = re.compile(
    r"\b(v?fn?m(add|sub)\w*|fn?ml[as]|fn?mad|fn?msb"
    rf"|_*svml\w*|_ZGV\w+|_*({LIBRARY.replace(' ', '|')})f?(@PLT)?)(?![\w.])"
)


def kernels() -> dict:
    """Every compiled function of nlmzip by its qualified name."""
    found = {}
    for floor in KERNEL_FLOORS:
        package = importlib.import_module(f"nlmzip.{floor}")
        for information in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(information.name)).items():
                if hasattr(value, "py_func") and value.py_func.__module__ == information.name:
                    found[f"{information.name}.{name}"] = value
    return found


def is_inline(kernel) -> bool:
    """Whether it is never compiled by itself: its body is read in its callers."""
    return kernel.targetoptions.get("inline") == "always"


#: numba's message about shapes that do not fit writes numbers, for which it asks how long they are.
MESSAGE = "raise_with_shape_context"


def instructions(assembly: str) -> list[str]:
    """The lines of machine code, without those of functions that make a message of an error."""
    found, name = [], ""
    for line in assembly.splitlines():
        if line.startswith("\t"):
            if not line.startswith("\t.") and MESSAGE not in name:
                found.append(line)
        elif line[:1] not in (".", "#", "/", " ", "") and ":" in line:
            name = line
    return found


def describe(kernel) -> dict:
    lines = [
        line for signature in kernel.signatures for line in instructions(kernel.inspect_asm(signature))
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
    networks = "nplm", "rnn", "lstm", "gru", "mgu"
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
    general = model_file.read(tiny.model_bytes(form="general"))
    bytes_as_words = model_file.read(tiny.model_bytes(form="bytes", networks=("lstm",)))
    for words, predictor in ((general, "kn+rnn"), (bytes_as_words, "kn+lstm")):
        for codec in ("words", "mix"):
            archive = nlmzip.compress(text, model=words, codec=codec, predictor=predictor, dynamic=True)
            assert nlmzip.decompress(archive, model=words) == text
    of_bytes = model_file.read(naive_prior.model_bytes())
    assert nlmzip.decompress(nlmzip.compress(text, model=of_bytes), model=of_bytes) == text
    state = mix.Prepared(byte_model.without_model(mix.START)).state()
    assert state.encode(text) == state.encode(text)  # memory is restored
    used = {name: describe(kernel) for name, kernel in kernels().items() if kernel.signatures}
    unread = [name for name, kernel in kernels().items() if not kernel.signatures and not is_inline(kernel)]
    json.dump({"kernels": used, "unread": unread}, sys.stdout)


main()

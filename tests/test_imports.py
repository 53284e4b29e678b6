"""Who may import whom: a floor never imports a higher one, and no circle is among modules.

Imports are read from the sources, also those inside functions.
"""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "nlmzip"
#: From the lowest to the highest. "" is nlmzip/__init__.py, which offers what api/ has.
FLOORS = (
    "version", "errors", "platform", "kernels", "entropy", "text", "contexts", "models", "counts", "engine",
    "predictors", "container", "codec", "plan", "execute", "training", "api", "", "explain", "bench",
    "cli", "__main__",
)  # fmt: skip
#: Folders and modules that need neither numpy nor numba when they are imported, so that what needs
#: no coding is told at once; and those among them that do.
LIGHT = ("errors", "platform", "models", "engine.profiles", "container", "plan", "execute", "api", "cli")
HEAVY = {"nlmzip.engine.byte_model"}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(path): path for path in PACKAGE.rglob("*.py")}


def without_types(tree: ast.Module) -> ast.Module:
    """What is run: without what is imported only for annotations."""

    class Run(ast.NodeTransformer):
        def visit_If(self, node):
            of_types = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
            return None if of_types else self.generic_visit(node)

    return Run().visit(tree)


def imported(source: str, module: str, is_package: bool) -> set[str]:
    """The modules of nlmzip that a module's source imports anywhere in it."""
    package = module if is_package else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(without_types(ast.parse(source))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            inside = {f"{base}.{alias.name}" for alias in node.names} & SOURCES.keys()
            names = {alias.name for alias in node.names if f"{base}.{alias.name}" not in SOURCES}
            found |= inside | ({base} if names else set())
    return {name for name in found if name.split(".")[0] == "nlmzip"}


def graph() -> dict[str, set[str]]:
    return {
        module: imported(path.read_text(), module, path.name == "__init__.py")
        for module, path in SOURCES.items()
    }


def floor(module: str) -> str:
    return (module + ".").split(".")[1]


def test_imports_are_read_wherever_they_stand():
    source = "from . import a\nfrom ..text.gaps import b\ndef f():\n    import nlmzip.cli, numpy\n    from .. import errors\n"
    expected = {"nlmzip.plan", "nlmzip.text.gaps", "nlmzip.cli", "nlmzip.errors"}
    assert imported(source, "nlmzip.plan.choose", is_package=False) == expected
    assert imported("from .parser import x", "nlmzip.container", is_package=True) == {"nlmzip.container.parser"}


def test_every_folder_is_a_floor():
    assert {floor(module) for module in SOURCES} == set(FLOORS)


def test_what_is_imported_is_there():
    assert set().union(*graph().values()) <= SOURCES.keys()


def test_a_floor_never_imports_a_higher_one():
    upwards = {
        (module, other)
        for module, others in graph().items()
        for other in others
        if FLOORS.index(floor(module)) < FLOORS.index(floor(other))
    }
    assert upwards == set()


def test_no_circle_is_among_modules():
    graphlib.TopologicalSorter(graph()).prepare()  # raises CycleError, which names them


def heavy_after(modules: list[str]) -> list[str]:
    """What of numpy and numba importing these modules takes."""
    script = f"import sys, {', '.join(modules)}; print(*sorted({{'numpy', 'numba'}} & set(sys.modules)))"
    command = [sys.executable, "-c", script]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=120, check=True).stdout.split()


@pytest.mark.parametrize("part", LIGHT)
def test_importing_takes_neither_numpy_nor_numba(part):
    prefix = f"nlmzip.{part}"
    modules = sorted(name for name in SOURCES if name == prefix or name.startswith(prefix + "."))
    assert modules and heavy_after([name for name in modules if name not in HEAVY]) == []


@pytest.mark.parametrize("module", HEAVY)
def test_what_is_excepted_needs_to_be(module):
    assert heavy_after([module])

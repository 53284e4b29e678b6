"""The machines on which cross_machine.py makes its archives, and how each is set up.

A machine here is a processor, real, emulated or pretended, with a Python and its numba. What
needs rights or changes the system is not done but told; all else goes into one folder.
"""

import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import harness

X86_EMULATOR, ARM_EMULATOR = "qemu-x86_64-static", "qemu-aarch64-static"
_EMULATORS = "install Debian's qemu-user-static"
_SETUP = "run this script with --setup"

#: Kinds of wheel that an arm64 Linux of the last ten years can load.
_ARM_WHEELS = [f"manylinux{kind}_aarch64" for kind in ("_2_28", "_2_27", "_2_17", "2014")]
#: Debian's packages of whose files the arm64 Python is made, with all that they depend on.
_ARM_PACKAGES = ("python3:arm64", "libstdc++6:arm64")


class Machine(NamedTuple):
    """name: a word; what: a line; python: the command that starts its Python.

    environment: variables to set, or None to take away; absent: what to do first, or "".
    """

    name: str
    what: str
    python: list[str]
    environment: dict[str, str | None] = {}
    absent: str = ""


def machines(folder: Path) -> list[Machine]:
    """All of them, the first being the one that everything else is compared with."""
    here = sys.executable
    is_x86 = platform.machine() in ("x86_64", "AMD64")
    # A BLAS kernel that is demanded for this processor may be beyond an emulated one.
    emulated = {"OPENBLAS_CORETYPE": None}
    arm, packages = folder / "arm64" / "root", folder / "arm64" / "packages"
    return [
        Machine("here", "this processor", [here]),
        Machine(
            "old-kernels", "kernels compiled for an x86-64 of 2008, without its features", [here],
            {"NUMBA_CPU_NAME": "nehalem", "NUMBA_CPU_FEATURES": ""},
            "" if is_x86 else "only an x86-64 can pretend to be an older one",
        ),
        Machine(
            "emulated-x86", "an emulated x86-64 of 2008: no AVX, no fused instructions",
            [X86_EMULATOR, "-cpu", "Nehalem", here], emulated,
            "needs an x86-64" if not is_x86 else _emulator(X86_EMULATOR),
        ),
        Machine(
            "emulated-arm", "an emulated aarch64, whose instruction set has fused ones always",
            [ARM_EMULATOR, "-L", str(arm), str(arm / "usr" / "bin" / "python3")],
            emulated | {"PYTHONPATH": str(packages)},
            _emulator(ARM_EMULATOR) or ("" if (packages / "numba").exists() else _SETUP),
        ),
        *(
            Machine(name, f"this processor, the {name} numba and numpy that are allowed", [str(python)], {}, absent)
            for name in ("oldest", "newest")
            for python in [folder / name / "bin" / "python"]
            for absent in ["" if (folder / name / "complete").exists() else _SETUP]
        ),
    ]  # fmt: skip


def _emulator(name: str) -> str:
    return "" if shutil.which(name) else _EMULATORS


def set_up(folder: Path, names: list[str], pythons: dict[str, str]) -> None:
    """Make what these machines need in `folder`, where it is not there yet.

    pythons: the Python of the oldest and of the newest environment.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [machine for machine in machines(folder) if machine.name in names and machine.absent == _SETUP]
    for machine in wanted:
        print(f"setting up {machine.name}", flush=True)
        if machine.name == "emulated-arm":
            _set_up_arm(folder / "arm64")
        else:
            _set_up_environment(folder / machine.name, pythons[machine.name], machine.name == "oldest")


def _set_up_arm(folder: Path) -> None:
    """An arm64 Python of Debian's packages, unpacked, not installed; and wheels beside it."""
    if "arm64" not in _said("dpkg", "--print-foreign-architectures").split():
        sys.exit("first, as root: dpkg --add-architecture arm64 && apt-get update")
    for name in ("debs", "root", "packages"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    without = "recommends suggests conflicts breaks replaces enhances".split()
    depended = _said("apt-cache", "depends", "--recurse", *(f"--no-{kind}" for kind in without), *_ARM_PACKAGES)
    packages = sorted({line for line in depended.splitlines() if line.endswith(":arm64") and line[0].isalpha()})
    subprocess.run(["apt-get", "-q", "download", *packages], cwd=folder / "debs", check=True, stdout=subprocess.DEVNULL)
    for package in sorted((folder / "debs").iterdir()):
        subprocess.run(["dpkg-deb", "-x", package, folder / "root"], check=True)
    shutil.rmtree(folder / "debs")
    (python,) = {path.name for path in (folder / "root" / "usr" / "bin").glob("python3.[0-9]*") if path.suffix[1:].isdigit()}
    import numba

    _install(
        [sys.executable], [f"numba=={numba.__version__}"],
        "--target", str(folder / "packages"), "--python-version", python.removeprefix("python"),
        *(word for kind in _ARM_WHEELS for word in ("--platform", kind)),
    )  # fmt: skip


def _set_up_environment(folder: Path, python: str, oldest: bool) -> None:
    """An environment with the least versions that pyproject.toml names, or with the newest.

    A Python may be too new for the least numpy: then it has the least that this numba can take.
    """
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([python, "-m", "venv", folder], check=True)
    least = dict(_least_versions())
    wanted = [[f"numba=={least['numba']}", f"numpy=={least['numpy']}"], [f"numba=={least['numba']}"]]
    if not oldest:
        wanted = [["numba", "numpy"]]
    for number, packages in enumerate(wanted):
        if _install([str(folder / "bin" / "python")], packages, may_fail=number + 1 < len(wanted)):
            break
    (folder / "complete").touch()


def _install(python: list[str], packages: list[str], *options: str, may_fail: bool = False) -> bool:
    command = [*python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:"]
    done = subprocess.run([*command, *options, *packages], stderr=subprocess.DEVNULL if may_fail else None)
    if done.returncode and not may_fail:
        sys.exit(f"could not install {' '.join(packages)}")
    return done.returncode == 0


def _least_versions():
    """(package, version) of each dependency of pyproject.toml that names its least version."""
    for line in (harness.ROOT / "pyproject.toml").read_text().splitlines():
        name, at_least, version = line.strip(' ",').partition(">=")
        if at_least and line.startswith("    "):
            yield name, version


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def default_python(names: tuple[str, ...]) -> str:
    """The first of these that runs, else this one; version managers leave names that do not."""
    for name in names:
        found = shutil.which(name)
        if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
            return found
    return sys.executable

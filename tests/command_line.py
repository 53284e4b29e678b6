"""Runs the command line as a user does, in a folder of its own; for tests/cli and tests/hostile.

`run` calls the console command inside this process, with real file descriptors for the
three streams; `start` gives it a process of its own, where that is the point.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import tiny

import nlmzip
from nlmzip.cli import main
from nlmzip.models import model_file

ROOT = Path(__file__).parents[1]
TEXT = b"The cow ate the zebra,\nthe goat grazed near the river.\n"
OTHER = b"the dog hunted the zebra\n"
MODEL = tiny.model_bytes()


@dataclass(frozen=True)
class Result:
    """What a command gave back."""

    status: int
    stdout: bytes
    stderr: str


class Workplace:
    """A folder with a text, another text, the archive of the first one and an empty folder.

    The model named tiny lies in a user's folder of models outside of it.
    """

    def __init__(self, folder: Path, models: Path, capture, monkeypatch):
        self.folder, self.models, self._capture = folder, models, capture
        self._monkeypatch = monkeypatch
        self._started: list[subprocess.Popen] = []
        folder.mkdir()
        (models).mkdir()
        (models / "tiny.nlm").write_bytes(MODEL)
        self.write("text", TEXT)
        self.write("other", OTHER)
        self.write("held.nlmz", archive_of(TEXT))
        (folder / "folder").mkdir()

    def write(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def contents(self) -> "dict[str, bytes | None]":
        """Every name in the folder with what it holds, None for folders and devices."""
        return {
            os.path.relpath(path, self.folder): path.read_bytes() if path.is_file() else None
            for path in self.folder.rglob("*")
        }

    def run(self, *arguments: str, stdin: bytes = b"", program: str = "nlmzip") -> Result:
        """Run the console command in this process; `stdin` is what standard input gives."""
        self._monkeypatch.setattr(sys, "argv", [f"/usr/bin/{program}", *arguments])
        self._capture.readouterr()
        reading, writing = os.pipe()
        os.write(writing, stdin)  # less than a pipe holds
        os.close(writing)
        kept = os.dup(0)
        os.dup2(reading, 0)
        try:
            status = main()
        finally:
            os.dup2(kept, 0)
            os.close(kept)
            os.close(reading)
        captured = self._capture.readouterr()
        return Result(status, captured.out, captured.err.decode())

    def start(self, *arguments: str, **options) -> subprocess.Popen:
        """Start the console command in a process of its own."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        process = subprocess.Popen(self.command(*arguments), cwd=self.folder, **options)
        self._started.append(process)
        return process

    def stop_all(self) -> None:
        """End what a failed test has left running."""
        for process in self._started:
            if process.poll() is None:
                process.kill()
                process.wait()

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "nlmzip", *arguments]

    def finish(self, process: subprocess.Popen, stdin: "bytes | None" = None) -> Result:
        out, err = process.communicate(stdin, timeout=120)
        return Result(process.returncode, out or b"", (err or b"").decode())


def archive_of(data: bytes, **settings) -> bytes:
    return nlmzip.compress(data, model=model_file.read(MODEL), **settings)


DEFAULT_HANDLERS = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}


@pytest.fixture
def workplace(tmp_path, monkeypatch, capfdbinary) -> Iterator[Workplace]:
    made = Workplace(tmp_path / "work place", tmp_path / "models", capfdbinary, monkeypatch)
    monkeypatch.chdir(made.folder)
    monkeypatch.setenv("NLMZIP_MODELS", str(made.models))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    # A shell without job control ignores SIGINT in what it runs in the background.
    kept = {number: signal.signal(number, default) for number, default in DEFAULT_HANDLERS.items()}
    yield made
    for number, handler in kept.items():
        signal.signal(number, handler)
    made.stop_all()

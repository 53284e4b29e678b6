"""What a command takes: peak memory, CPU, time, and when its output began.

What getrusage tells of a process begins with the memory of the one that started it. So a small
process stands between, this file as a script, which starts the command and tells what it took.
Called by the scripts of scale/.
"""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

_AT_ONCE = 1 << 16
#: How a command ends whose output nobody reads any more, as shells tell it.
_BROKEN_PIPE = 128 + 13


class Taken(NamedTuple):
    """peak_bytes: most memory that was resident; read_bytes: all that the process read, from any
    file, None where the system does not tell; first_byte_seconds: from the start to the first
    byte of standard output, of which there were n_bytes with this SHA-256."""

    peak_bytes: int
    cpu_seconds: float
    seconds: float
    read_bytes: int | None
    first_byte_seconds: float | None
    n_bytes: int
    sha256: str


def nlmzip(*arguments) -> list[str]:
    """The command of this checkout."""
    return [sys.executable, "-m", "nlmzip", *map(str, arguments)]


def measured(
    command: list[str], piped: Path | None = None, keep: Path | None = None, stop: int | None = None
) -> Taken:
    """Run a command, which has to end well.

    piped: what comes through a pipe into its standard input; keep: where its standard output
    goes, which is read through a pipe in any case; stop: after so many bytes of it the pipe is
    closed, as `| head` does.
    """
    root = str(Path(__file__).resolve().parents[2])
    telling, told = os.pipe()
    between = [sys.executable, "-I", "-S", __file__, str(told), *command]
    source = subprocess.Popen(["cat", piped], stdout=subprocess.PIPE) if piped else None
    process = subprocess.Popen(
        between, stdin=source.stdout if source else subprocess.DEVNULL, stdout=subprocess.PIPE,
        pass_fds=[told], env={**os.environ, "PYTHONPATH": root}, bufsize=0,
    )  # fmt: skip
    os.close(told)
    if source:
        source.stdout.close()
    digest, n_bytes, first = hashlib.sha256(), 0, None
    with open(keep or os.devnull, "wb") as kept:
        while piece := process.stdout.read(stop or _AT_ONCE):
            first = first or time.monotonic()
            digest.update(piece)
            kept.write(piece)
            n_bytes += len(piece)
            if stop and n_bytes >= stop:
                break
    process.stdout.close()
    with open(telling) as pipe:
        answer = pipe.read()
    process.wait()
    if source:
        source.wait()
    about = json.loads(answer or "{}")
    allowed = (0, _BROKEN_PIPE) if stop else (0,)
    if about.get("status") not in allowed:
        sys.exit(f"failed, with status {about.get('status')}: {shlex.join(command)}")
    first_byte_seconds = first and first - about["begin"]
    return Taken(*about["taken"], first_byte_seconds, n_bytes, digest.hexdigest())


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> None:
    """Start the command, and write what it took, as JSON, to the pipe of the first argument's number."""
    told = int(sys.argv[1])
    begin = time.monotonic()
    process = os.fork()
    if not process:
        try:
            os.close(told)
            os.execvp(sys.argv[2], sys.argv[2:])
        finally:
            os._exit(127)
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    seconds = time.monotonic() - begin
    read_bytes = _read_bytes(process)
    _, status, usage = os.wait4(process, 0)
    peak = usage.ru_maxrss if sys.platform == "darwin" else usage.ru_maxrss << 10
    taken = [peak, usage.ru_utime + usage.ru_stime, seconds, read_bytes]
    answer = {"status": os.waitstatus_to_exitcode(status), "begin": begin, "taken": taken}
    with open(told, "w") as pipe:
        json.dump(answer, pipe)


def _read_bytes(process: int) -> int | None:
    """All that a process has read that has ended and was not waited for."""
    try:
        lines = Path(f"/proc/{process}/io").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("rchar:"))
    except (OSError, StopIteration):
        return None


if __name__ == "__main__":
    main()

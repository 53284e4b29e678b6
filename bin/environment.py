"""Make or bring up to date the virtual environment of this checkout (called by environment.sh).

Usage: environment.py ROOT EXTRA, where EXTRA is "" or an optional dependency of pyproject.toml.

The promise is that an environment with a stamp is complete. Three things keep it:
the stamp is written last and by a rename; an environment under construction is marked,
so that one found marked was interrupted and is made anew; and a kernel lock, which dies
with its holder, lets one process at a time do this.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

STAMP = "installed"
MARK = "incomplete"
NEW_ENOUGH = "import sys; sys.exit(sys.version_info < (3, 10))"


def main(root: Path, extra: str) -> int:
    environment = root / ".venv"
    with locked(root):
        if is_current(environment, root, extra):  # another process has just made it
            return 0
        say(f"setting up {environment} (once, takes a minute)")
        return install(environment, root, extra)


class locked:
    """Hold the checkout's folder locked against other runs of this file."""

    def __init__(self, root: Path):
        self.descriptor = os.open(root, os.O_RDONLY)

    def __enter__(self):
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another run, which is setting up the virtual environment")
            fcntl.flock(self.descriptor, fcntl.LOCK_EX)
        except OSError:
            pass  # a file system without locks: then without

    def __exit__(self, *_):
        os.close(self.descriptor)


def stamp_content(root: Path) -> bytes:
    return os.fsencode(root) + b"\n" + (root / "pyproject.toml").read_bytes()


def stamp_path(environment: Path, extra: str) -> Path:
    return environment / (f"{STAMP}-{extra}" if extra else STAMP)


def is_current(environment: Path, root: Path, extra: str) -> bool:
    stamp = stamp_path(environment, extra)
    return (
        stamp.is_file()
        and runs(environment, NEW_ENOUGH)
        and stamp.read_bytes() == stamp_content(root)
    )


def runs(environment: Path, program: str) -> bool:
    """Whether the environment's Python starts and runs `program` without an error."""
    try:
        command = [environment / "bin" / "python", "-c", program]
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


def install(environment: Path, root: Path, extra: str) -> int:
    mark = environment / MARK
    if mark.exists() or not runs(environment, NEW_ENOUGH):
        if environment.is_symlink():
            environment.unlink()
        elif environment.exists():
            shutil.rmtree(environment)
    fresh = not environment.exists()
    environment.mkdir(exist_ok=True)
    mark.touch()
    for stamp in environment.glob(f"{STAMP}*"):
        stamp.unlink()

    if fresh:
        # The real file: a link named python3 may become another version one day.
        run([os.path.realpath(sys.executable), "-m", "venv", environment])
    python = environment / "bin" / "python"
    if not runs(environment, "import pip"):  # as some tools make theirs
        run([python, "-m", "ensurepip"])
    package = f"{root}[{extra}]" if extra else str(root)
    run([python, "-m", "pip", "install", "-qq", "--editable", package])

    mark.unlink()
    for each in {"", extra}:
        new = environment / "stamp.new"
        new.write_bytes(stamp_content(root))
        new.replace(stamp_path(environment, each))
    return 0


def say(message: str) -> None:
    print(f"nlmzip: {message}", file=sys.stderr, flush=True)


def run(command: list) -> None:
    """Run a command in silence, unless it fails."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode:
        sys.stderr.write(done.stdout.decode(errors="replace"))
        done.check_returncode()


if __name__ == "__main__":
    root = Path(sys.argv[1])
    status = 1
    try:
        status = main(root, sys.argv[2])
    except subprocess.CalledProcessError:
        say("the installation failed, see above; mend that and run the same command again")
    except OSError as error:
        say(f"{root / '.venv'} cannot be set up: {error.strerror}; check that you may write there")
    except KeyboardInterrupt:
        say("interrupted; the next run sets up the virtual environment afresh")
        status = 130
    sys.exit(status)

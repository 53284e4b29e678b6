"""What all scripts share: environment, options, the report and where it is kept.

A script puts this folder on its path and imports this before anything that needs numpy: started
with any Python, it goes on in the checkout's own environment, which is made if it is not there.
What else is shared is imported from the checkout, as benchmarks.shared.
"""

import argparse
import csv
import datetime
import importlib.util
import os
import platform
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
FINANCE = ROOT / "corpora" / "finance"

_ENVIRONMENT = ROOT / ".venv"

if importlib.util.find_spec("numba") is None and Path(sys.prefix) != _ENVIRONMENT:
    subprocess.run([ROOT / "bin" / "nlmzip", "--version"], check=True, stdout=subprocess.DEVNULL)
    _python = str(_ENVIRONMENT / "bin" / "python")
    os.execv(_python, [_python, *sys.argv])
sys.path.insert(0, str(ROOT))


def name_of(script: str) -> str:
    """A script as it is called from the checkout: benchmarks/FOLDER/NAME.py."""
    return str(Path(ROOT, script).resolve().relative_to(ROOT))


def parser(script: str, description: str) -> argparse.ArgumentParser:
    """A parser with the options that every script has."""
    made = argparse.ArgumentParser(
        prog=Path(script).name,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "--save", action="store_true", help=f"keep the output in results/{Path(script).stem}.txt"
    )
    return made


def add_model(made: argparse.ArgumentParser) -> None:
    made.add_argument("--model", default="finance", metavar="NAME|PATH")


def add_text(made: argparse.ArgumentParser, *names: str) -> None:
    """Options for texts of the finance corpus: "text", the held-out one, alone or with "train" and "dev"."""
    for name in names or ("text",):
        default = FINANCE / f"{'heldout' if name == 'text' else name}.txt"
        made.add_argument(f"--{name}", type=Path, default=default, metavar="FILE")


def add_data(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("NLMZIP_DATA"),
        metavar="FOLDER",
        help="where texts lie that are not in the checkout; else NLMZIP_DATA says",
    )


def data_files(options: argparse.Namespace, *folders: str) -> list[list[Path]]:
    """The texts of each of these folders of the data, in the order of their names.

    Without them the script ends with a line that says why, and nothing is kept.
    """
    found = []
    for name in folders:
        folder = options.data and Path(options.data, name)
        files = sorted(folder.glob("*.txt")) if folder else []
        if not files:
            where = f"{options.data} has no {name}/*.txt" if options.data else "no folder is named"
            print(f"skipped: {where}; give --data FOLDER or NLMZIP_DATA a folder with {name}/")
            sys.exit(0)
        found.append(files)
    return found


def add_texts(made: argparse.ArgumentParser) -> None:
    made.add_argument("files", nargs="*", type=Path, metavar="FILE")
    made.add_argument("--list", type=Path, metavar="TABLE", help="a list of texts")
    made.add_argument("--use", choices=("dev", "report"), default="dev", help="which of the list")


def texts(options: argparse.Namespace) -> list[Path]:
    """The FILEs, or those that a list of texts has for one use, without those under edge/.

    A list is a table whose first column is a path and whose last one, use, says dev or report.
    """
    if options.files:
        return options.files
    if options.list is None:
        sys.exit("no texts are named: give FILEs or a --list of texts")
    return listed(options.list, options.use)


def listed(table: Path, use: str) -> list[Path]:
    """The texts that a list of texts has for one use, without those under edge/."""
    with table.open(newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    names = [row["path"] for row in rows if row["use"] == use]
    return [table.parent / name for name in names if not name.startswith("edge/")]


def seconds_of(function, *arguments, **options):
    """What it returns, and its CPU time."""
    begin = time.process_time()
    result = function(*arguments, **options)
    return result, time.process_time() - begin


class Report:
    """Prints lines; with --save they are kept under the script's name when all went well.

        with Report(script, options) as report:
            report.line("...")
    """

    def __init__(self, script: str, options: argparse.Namespace):
        self._path = RESULTS / f"{Path(script).stem}.txt" if options.save else None
        self._lines: list[str] = []
        self.line(f"$ {name_of(script)} {_command_line(sys.argv[1:])}".rstrip())
        self.line(_versions())

    def line(self, text: str = "") -> None:
        print(text, flush=True)
        self._lines.append(text)

    def table(self, header, rows) -> None:
        from nlmzip.bench.table import aligned

        for line in aligned(header, rows):
            self.line(line)

    def __enter__(self) -> "Report":
        return self

    def __exit__(self, kind, *_) -> None:
        if self._path and kind is None:
            self._path.parent.mkdir(exist_ok=True)
            self._path.write_text("\n".join(self._lines) + "\n")

    def model(self, model) -> None:
        self.line(f"model {model.name}, SHA-256 {model.sha256.hex()[:16]}")

    def peers(self) -> list:
        """Other compressors; says which are not here."""
        from nlmzip.bench.peers import peers
        from nlmzip.bench.table import versions_text

        found, absent = peers()
        for peer in absent:
            self.line(f"left out: {peer.name}, which is not {peer.place}")
        self.line(versions_text({peer.name: peer.version for peer in found}))
        return found


def run(main) -> None:
    """Run a script's main; what a user can set right is one line, not a traceback."""
    from nlmzip.errors import NlmzipError
    from nlmzip.platform.files import explain

    try:
        sys.exit(main())
    except NlmzipError as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")
    except OSError as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error.filename}: {explain(error)}")


def _command_line(arguments: list[str]) -> str:
    """The arguments without --save, and without folders outside the checkout."""

    def shown(argument: str) -> str:
        path = Path(argument)
        if not path.exists():
            return argument
        path = path.resolve()
        return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name

    return shlex.join(shown(each) for each in arguments if each != "--save")


def _versions() -> str:
    import numba
    import numpy

    import nlmzip

    return (
        f"nlmzip {nlmzip.__version__} ({_commit()}), Python {platform.python_version()}, "
        f"numpy {numpy.__version__}, numba {numba.__version__}, {_processor()}, "
        f"{datetime.date.today()}"
    )


def _processor() -> str:
    """The processor's name where the system tells it, and its kind."""
    try:
        with open("/proc/cpuinfo") as information:
            names = [line.split(":", 1)[1].strip() for line in information if "model name" in line]
        return f"{names[0]} ({platform.machine()})"
    except (OSError, IndexError):
        return platform.machine()


def _commit() -> str:
    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        commit = git("rev-parse", "--short=10", "HEAD")
        if not commit:
            return "no commit"
        # Results are written by these very scripts and change nothing that is measured.
        changed = git("status", "--porcelain", "-uno", "--", ".", ":!benchmarks/results")
        return f"commit {commit}" + (" with changes" if changed else "")
    except OSError:
        return "no commit known"

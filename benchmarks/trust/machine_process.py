"""What one machine does for cross_machine.py: `machine_process.py FOLDER`, with a Python of that machine.

The folder was laid by machine_set.py. Each archive that is in it is decoded, and each is
encoded again; where it is missing it is kept, which the first machine does for all others.
Prints a line of JSON about the machine, then one for each archive. It imports nothing of the
benchmarks: on an emulated machine every import takes seconds.
"""

import hashlib
import json
import platform
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def main(folder: Path) -> None:
    import numba
    import numpy
    from llvmlite import binding
    from numba.core import config

    print(
        json.dumps(
            {
                "python": platform.python_version(),
                "numpy": numpy.__version__,
                "numba": numba.__version__,
                "machine": platform.machine(),
                "processor": config.CPU_NAME or binding.get_host_cpu_name(),
            }
        ),
        flush=True,
    )
    for number, item in enumerate(json.loads((folder / "set.json").read_text())):
        begin = time.process_time()
        said = code(folder, folder / "archives" / f"{number}.nlmz", item)
        said |= {"name": item["name"], "seconds": round(time.process_time() - begin, 2)}
        print(json.dumps(said), flush=True)


def code(folder: Path, kept: Path, item: dict) -> dict:
    """SHA-256 and size of the archive made here, and whether the kept one decodes."""
    import nlmzip

    text = (folder / "texts" / item["text"]).read_bytes()
    models = item["models"]
    if models != "none":
        models = [str(folder / "models" / f"{name}.nlm") for name in models]
    decoded = True
    try:
        if kept.exists():
            decoded = nlmzip.decompress(kept.read_bytes(), model=models) == text
    except nlmzip.NlmzipError:
        decoded = False
    try:
        archive = nlmzip.compress(text, model=models, **item["options"])
    except nlmzip.NlmzipError as error:
        return {"sha256": "", "bytes": 0, "decoded": decoded, "error": str(error)}
    if not kept.exists():
        kept.write_bytes(archive)
        decoded = nlmzip.decompress(archive, model=models) == text
    return {"sha256": hashlib.sha256(archive).hexdigest(), "bytes": len(archive), "decoded": decoded}


if __name__ == "__main__":
    main(Path(sys.argv[1]))

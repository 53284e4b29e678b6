"""benchmarks/trust/cross_machine.py: what is in the set, what one machine does, what is told of all."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.trust import cross_machine, machine_set, machines
from nlmzip.engine.profiles import LEVELS
from nlmzip.models.settings import PARTS


def test_the_set_has_every_part_static_and_dynamic_and_every_level():
    items = machine_set.items()
    assert len({item["name"] for item in items}) == len(items)
    words = {(o["predictor"], o["dynamic"]) for o in (item["options"] for item in items) if "predictor" in o}
    networks = [part for part in PARTS if part != "kn"]
    for network in networks:
        assert {(p + network, dynamic) for p in ("", "kn+") for dynamic in (False, True)} <= words
    assert set(machine_set.NETWORKS) == set(networks) and ("kn", False) in words
    for models in ("none", ["bytes"]):
        assert [i["options"]["level"] for i in items if i["models"] == models] == list(LEVELS)


def process(folder: Path) -> list[dict]:
    command = [sys.executable, str(cross_machine.PROCESS), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_first_machine_keeps_what_the_others_decode(tmp_path):
    (item,) = machine_set.lay(tmp_path, "words: kn static")
    about, first = process(tmp_path)
    assert about["python"].startswith("3.") and first["name"] == item["name"]
    _, second = process(tmp_path)
    assert first["decoded"] and second["decoded"] and first["sha256"] == second["sha256"]
    (kept,) = (tmp_path / "archives").iterdir()
    kept.write_bytes(kept.read_bytes()[:-1])
    _, third = process(tmp_path)
    assert not third["decoded"] and third["sha256"] == first["sha256"]


class Lines(list):
    """A report that keeps what it is told."""

    def line(self, text: str = "") -> None:
        self.append(text)

    def table(self, header, rows) -> None:
        self.extend(rows)


ABOUT = dict.fromkeys(("machine", "processor", "python", "numpy", "numba"), "some")
SAME = {"name": "an archive", "bytes": 9, "sha256": "ab" * 32, "decoded": True, "seconds": 1}


@pytest.mark.parametrize(
    "said, shown, status",
    [
        ([SAME], "ab" * 8, 0),
        ([SAME | {"sha256": "cd" * 32}], "cd" * 8, 1),
        ([SAME | {"decoded": False}], "ab" * 8 + " not decoded", 1),
        ([SAME | {"sha256": ""}], "refused", 1),
        ([], "not reached", 1),
    ],
)
def test_what_differs_is_told_and_is_the_exit_status(said, shown, status):
    chosen = [machines.Machine(name, "", []) for name in ("here", "there")]
    absent = machines.Machine("away", "far", [], {}, "go there")
    report, told = Lines(), {"here": [ABOUT, SAME], "there": [ABOUT, *said]}
    assert cross_machine.show(report, [*chosen, absent], [{"name": "an archive"}], told) == status
    assert ["an archive", "9", "ab" * 8, shown, "DIFFERENT" if status else "same"] in report
    assert "left out: away, far: go there" in report


def test_what_is_not_set_up_is_absent(tmp_path):
    absent = {machine.name: machine.absent for machine in machines.machines(tmp_path)}
    assert absent["here"] == "" and "--setup" in absent["oldest"] and absent["emulated-arm"]


def test_the_least_versions_are_those_of_the_project():
    least = dict(machines._least_versions())
    assert {"numba", "numpy", "click", "tqdm"} <= set(least) and least["numba"] == "0.61"

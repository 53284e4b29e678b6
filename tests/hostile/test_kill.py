"""Killed, as by the kernel when memory is short: no half a file under its name, and no lost input.

What is left behind is hidden, and a second run succeeds.
"""

import os
import random
import re
import signal
import time

import pytest
from command_line import TEXT

import nlmzip
from nlmzip.cli import main
from nlmzip.execute.encode import write_stored

ARCHIVE = nlmzip.compress(TEXT, level=1, model="none")
LARGE = os.urandom(4_000_000)  # stored as it is, so that most of the time goes into files
STEPS = ("open", "write", "fchmod", "utime", "fsync", "close", "link", "replace", "unlink")
LEFT_BEHIND = r"\.nlmzip-[0-9a-f]{16}\.tmp"


def killed_at(step: int, arguments: list[str]) -> bool:
    """Whether a copy of this process that runs the command is killed in its n-th step on files."""
    process = os.fork()
    if not process:
        left = [step]
        for name in STEPS:
            setattr(os, name, counted(getattr(os, name), name, left))
        main(arguments)
        os._exit(0)
    _, status = os.waitpid(process, 0)
    assert status in (0, signal.SIGKILL)
    return status == signal.SIGKILL


def counted(call, name: str, left: list[int]):
    """The call of the system, which at the last of the steps that are left is cut short by the end."""

    def step(*arguments, **options):
        left[0] -= 1
        if left[0] == 0:
            if name == "write":
                call(arguments[0], arguments[1][: len(arguments[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*arguments, **options)

    return step


COMMANDS = {
    "-1 text": ("text", TEXT, "text.nlmz", ARCHIVE, None),
    "-1 -f -o old text": ("text", TEXT, "old", ARCHIVE, b"old"),
    "-1 --rm text": ("text", TEXT, "text.nlmz", ARCHIVE, None),
    "-1 --rm -f -o old text": ("text", TEXT, "old", ARCHIVE, b"old"),
    "-d coded.nlmz": ("coded.nlmz", ARCHIVE, "coded", TEXT, None),
    "-d --rm coded.nlmz": ("coded.nlmz", ARCHIVE, "coded", TEXT, None),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a copy of the process cannot be made")
@pytest.mark.parametrize("command", COMMANDS)
def test_killed_at_any_step_leaves_whole_files(workplace, command):
    source, content, target, result, old = COMMANDS[command]
    workplace.run("-1", "-c", "text")  # so that what every copy needs is there
    step, seen = 0, set()
    while True:
        step += 1
        for name in [name for name in os.listdir() if re.fullmatch(LEFT_BEHIND, name)]:
            os.unlink(name)
        workplace.write(source, content)
        if old is not None:
            workplace.write(target, old)
        elif os.path.exists(target):
            os.unlink(target)
        before = workplace.contents()
        killed = killed_at(step, command.split())
        after = workplace.contents()
        left = {name for name in after if re.fullmatch(LEFT_BEHIND, name)}
        got, kept = after.get(target), after.get(source)
        assert got in (old, result)
        assert kept == content or ("--rm" in command and kept is None and got == result)
        assert set(after) - left - {source, target} == set(before) - {source, target}
        seen.add((got == result, bool(left)))
        if not killed:
            break
        if kept is not None:
            again = workplace.run(*command.split(), "-f")
            assert (again.status, again.stderr) == (0, "")
        assert workplace.read(target) == result
    assert not left and got == result
    assert {(False, False), (False, True), (True, False)} <= seen and step > 5


def test_killed_at_any_moment(workplace):
    """From outside, where nothing of the program is changed."""
    chance = random.Random(os.urandom(8))
    workplace.write("large", LARGE)
    workplace.write("large.nlmz", b"old")
    whole = write_stored(LARGE)
    for _ in range(4):
        process = workplace.start("-1", "-f", "--verify", "large")
        time.sleep(chance.uniform(0.05, 0.6))
        process.kill()
        workplace.finish(process)
        assert workplace.read("large") == LARGE and workplace.read("large.nlmz") in (b"old", whole)
        names = {"large", "large.nlmz", "text", "other", "held.nlmz", "folder"}
        assert all(re.fullmatch(LEFT_BEHIND, name) for name in set(os.listdir()) - names)
    result = workplace.run("-1", "-f", "large")
    assert (result.status, workplace.read("large.nlmz")) == (0, whole)

"""Being asked to end: status 128 + n, one line, no partial output, the old target untouched."""

import os
import signal
import subprocess
import time

import pytest
from command_line import TEXT, archive_of
from tiny import TEXT as WORDS

from nlmzip.platform import files

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
INTERRUPTED = "nlmzip: interrupted; what was not finished has not been written\n"


def wait_until_handled(process: subprocess.Popen) -> None:
    """Until the process has set its handler for SIGTERM, as Linux tells."""
    for _ in range(600):
        with open(f"/proc/{process.pid}/status") as status:
            caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
        if caught >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.02)
    raise TimeoutError


def test_signals_while_encoding(workplace):
    workplace.write("long", WORDS * 50_000)  # takes far longer than the signal to come
    processes = []
    for number in SIGNALS:
        name = f"{number.name}.nlmz"
        workplace.write(name, b"old")
        command = ["encode", "--model", "tiny", "-f", "-o", name, "long"]
        processes.append(workplace.start(*command))
    before = workplace.contents()
    for process in processes:
        wait_until_handled(process)
    time.sleep(1.5)  # to be in the middle of coding
    for process, number in zip(processes, SIGNALS, strict=True):
        process.send_signal(number)
        result = workplace.finish(process)
        assert (result.status, result.stdout, result.stderr) == (128 + number, b"", INTERRUPTED)
    assert workplace.contents() == before


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("old", [b"old", None])
def test_a_signal_while_the_output_is_written(workplace, monkeypatch, number, old):
    if old is not None:
        workplace.write("out", old)
    before = workplace.contents()
    monkeypatch.setattr(files, "_flush", lambda descriptor: os.kill(os.getpid(), number))
    result = workplace.run("encode", "--model", "tiny", "-f", "-o", "out", "text")
    assert (result.status, result.stderr) == (128 + number, INTERRUPTED)
    assert workplace.contents() == before


def test_files_before_the_signal_stay_done(workplace, monkeypatch):
    flush = files._flush
    flushed = []

    def interrupt_second(descriptor):
        flush(descriptor)
        flushed.append(descriptor)
        if len(flushed) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(files, "_flush", interrupt_second)
    before = workplace.contents()
    result = workplace.run("encode", "-T1", "--model", "tiny", "text", "other", "held.nlmz")
    assert (result.status, result.stderr) == (130, INTERRUPTED)
    assert workplace.contents() == before | {"text.nlmz": archive_of(TEXT)}


def test_a_signal_ignored_from_the_start_stays_ignored(workplace):
    process = workplace.start(
        "decode",
        stdin=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    wait_until_handled(process)
    process.send_signal(signal.SIGHUP)
    result = workplace.finish(process, stdin=archive_of(TEXT))
    assert (result.status, result.stdout, result.stderr) == (0, TEXT, "")


def test_a_signal_while_reading_standard_input(workplace):
    process = workplace.start("encode", "--model", "tiny", stdin=subprocess.PIPE)
    wait_until_handled(process)
    process.send_signal(signal.SIGINT)
    result = workplace.finish(process)
    assert (result.status, result.stdout, result.stderr) == (130, b"", INTERRUPTED)


def test_a_signal_whose_exception_is_dropped_is_noticed_all_the_same(workplace, monkeypatch):
    """As when it comes while Python runs a finaliser."""

    class Finaliser:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGTERM)

    def encode(session, read, options, progress, **_):
        Finaliser()
        progress(1, None)
        yield read(1)

    monkeypatch.setattr("nlmzip.api.streams.encode", encode)
    before = workplace.contents()
    result = workplace.run("encode", "--model", "tiny", "text")
    assert (result.status, result.stderr) == (143, INTERRUPTED)
    assert workplace.contents() == before

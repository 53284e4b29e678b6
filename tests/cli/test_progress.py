"""Bars: on a terminal's standard error only, and for long work only."""

import io
import sys

import pytest

from nlmzip.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch) -> Terminal:
    """Standard error from now on; no fixture, since pytest sets its own between the two."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    return shown


def test_long_coding_shows_a_bar_and_clears_it(monkeypatch):
    shown = terminal(monkeypatch)
    monkeypatch.setattr(progress, "DELAY", 0)
    with progress.byte_progress("text", quiet=False) as update:
        update(1000, 4000)
        update(4000, 4000)
    assert "text" in shown.getvalue()
    assert "\x1b" not in shown.getvalue()  # NO_COLOR or not
    assert shown.getvalue().split("\r")[-2].strip() == ""


def test_short_coding_shows_nothing(monkeypatch):
    shown = terminal(monkeypatch)
    with progress.byte_progress("text", quiet=False) as update:
        update(4000, 4000)
    assert shown.getvalue().strip() == ""


def test_long_training_shows_its_stages_and_figures(monkeypatch):
    shown = terminal(monkeypatch)
    monkeypatch.setattr(progress, "DELAY", 0)
    with progress.StageProgress() as bar:
        bar.stage("rnn", 10)
        bar.advance(10, loss=2.5)
    assert "rnn: 100%" in shown.getvalue() and "loss=2.5" in shown.getvalue()


@pytest.mark.parametrize("quiet", [True, False])
def test_no_bar_when_quiet_or_not_on_a_terminal(monkeypatch, quiet):
    shown = Terminal() if quiet else io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(progress, "DELAY", 0)
    with progress.byte_progress("text", quiet) as update:
        update(4000, 4000)
    with progress.StageProgress(quiet) as bar:
        bar.stage("rnn", 10)
        bar.advance(10, loss=2.5)
    assert shown.getvalue() == ""

"""`nlmzip completion`, and the answers to a shell that completes; called by program.py.

The scripts are click's own. A shell that runs one calls the program with a variable set,
which says what was typed.
"""

import os

import click
from click.shell_completion import CompletionItem, get_completion_class

SHELLS = ("bash", "zsh", "fish")


def _variable(name: str) -> str:
    return f"_{name.upper()}_COMPLETE"


def script(shell: str, name: str) -> str:
    """What the shell has to read once so that it completes the program of this name."""
    of_shell = get_completion_class(shell)(None, {}, name, _variable(name))
    # Not its `source`, which for bash would ask a bash for its version.
    return of_shell.source_template % of_shell.source_vars()


def answer(name: str, choose) -> bool:
    """If a shell asks what can come next, print it, and return True.

    choose(name, arguments): the click command that these arguments are of.
    """
    shell, _, wanted = os.environ.get(_variable(name), "").partition("_")
    if shell not in SHELLS or wanted != "complete":
        return False
    of_shell = get_completion_class(shell)(None, {}, name, _variable(name))
    arguments, _ = of_shell.get_completion_args()
    of_shell.cli = choose(name, arguments)
    click.echo(of_shell.complete())
    return True


def with_files(items: "list[CompletionItem]", incomplete: str) -> "list[CompletionItem]":
    """The items, each once, and the files that begin so."""
    files = [] if incomplete.startswith("-") else [CompletionItem(incomplete, type="file")]
    return files + list({item.value: item for item in items}.values())

"""The click program that holds the commands, and how its usage errors are told; called by main."""

import os
import sys
from difflib import get_close_matches

import click

import nlmzip

from . import completion, manual, messages
from .bench import bench
from .decode import decode, test
from .encode import encode
from .explain import explain as explain_command
from .get import get
from .info import info
from .listing import list_command
from .models import models
from .plain import HELP, plain, version_option
from .train import train

#: Programs by other names, and the options that the name stands for.
_ALIASES = {"unnlmzip": ["-d"], "nlmzcat": ["-d", "-c"]}
PROGRAMS = ("nlmzip", *_ALIASES)


class Program(click.Group):
    """The commands; where a command's name can stand, a file's name and options can, too."""

    def shell_complete(self, context, incomplete):
        items = super().shell_complete(context, incomplete)
        if incomplete.startswith("-"):
            items += plain.shell_complete(context, incomplete)
        return completion.with_files(items, incomplete)


@click.group(
    cls=Program,
    invoke_without_command=True,
    context_settings=HELP,
    subcommand_metavar="COMMAND|FILE...",
)
@version_option
@click.pass_context
def program(context: click.Context) -> "int | None":
    """Compress text by predicting it: a mixing engine, a trained model's counts and neural
    networks, or both together, drive an arithmetic code.

    \b
    nlmzip FILE...             encode: each FILE becomes FILE.nlmz, and is kept
    nlmzip -d FILE.nlmz...     decode; unnlmzip does so, too, and nlmzcat to standard output
    nlmzip -t FILE.nlmz...     test
    nlmzip -l FILE.nlmz...     list sizes

    These take the options of the commands encode, decode, test and list. A FILE that is
    called as a command is reached as ./FILE. Exit status: 0 done, 1 error, 2 warning,
    128 + n after signal n.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(messages.ERROR)


@click.command("help", short_help="Show the help of a command.")
@click.argument("name", metavar="[COMMAND]", required=False)
def help_command(name):
    """Show the help of COMMAND, or that of nlmzip, as --help does."""
    return run(["--help"] if name is None else [name, "--help"])


@click.command("completion", short_help="Print what lets your shell complete.")
@click.argument("shell", type=click.Choice(completion.SHELLS))
def completion_command(shell):
    """Print a script for SHELL, bash, zsh or fish, that completes commands, options, models and
    files: source <(nlmzip completion bash) in ~/.bashrc, the same with zsh in ~/.zshrc, or
    nlmzip completion fish | source in ~/.config/fish/config.fish.
    """
    for name in PROGRAMS:
        click.echo(completion.script(shell, name))


@click.command("man", short_help="Print the manual page.")
def manual_command():
    """Print the manual page: nlmzip man | man -l - shows it, and in the folder
    ~/.local/share/man/man1, which may have to be made first, nlmzip man > nlmzip.1 installs it.
    """
    click.echo(manual.manual(program, plain, nlmzip.__version__), nl=False)


for command in (
    encode, decode, test, get, list_command, info, models, train, bench, explain_command,
    completion_command, manual_command, help_command,
):  # fmt: skip
    program.add_command(command)


def _choose(name: str, arguments: list[str]) -> click.Command:
    """The program, or its form without a command, that the arguments are of."""
    if name in _ALIASES:
        return plain
    if not arguments:
        return program
    first = arguments[0]
    own = {option for parameter in program.params for option in parameter.opts}
    if first in program.commands or first in own or first in HELP["help_option_names"]:
        return program
    if first.startswith("-") or os.path.lexists(first) or os.path.dirname(first):
        return plain
    return program  # which says that there is no such command


def _is_terminal(stream) -> bool:
    return stream is not None and stream.isatty()


def run(arguments: list[str], name: str = "nlmzip") -> int:
    """Run the program by this name without click's own handling of exits, errors and signals."""
    name = name if name in _ALIASES else "nlmzip"
    try:
        if completion.answer(name, _choose):
            return messages.OK
        chosen = _choose(name, arguments)
        if not (arguments or _is_terminal(sys.stdin) or _is_terminal(sys.stdout)):
            chosen = plain  # in a pipe, such as tar makes
        arguments = _ALIASES.get(name, []) + list(arguments)
        with chosen.make_context(name, arguments) as context:
            return chosen.invoke(context) or messages.OK
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        command = error.ctx.command_path if getattr(error, "ctx", None) else "nlmzip"
        messages.complain(f"{explain(error)}; see '{command} --help'")
        return messages.ERROR


def explain(error: click.ClickException) -> str:
    """What is wrong with the arguments, in one line."""
    if isinstance(error, click.NoSuchOption):
        # Once more without the dashes, which would make any two short options alike.
        options = {option.lstrip("-"): option for option in error.possibilities or ()}
        close = get_close_matches(error.option_name.lstrip("-"), options, cutoff=0.7)
        alike = " or ".join(sorted(options[each] for each in close))
        return f"no such option {error.option_name}" + (f", perhaps {alike}" if alike else "")
    text = " ".join(error.format_message().split()).rstrip(".")
    return text[:1].lower() + text[1:]

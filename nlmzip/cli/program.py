"""The click program that holds the commands, and how its usage errors are told; called by main."""

from difflib import get_close_matches

import click

import nlmzip

from . import messages
from .bench import bench
from .decode import decode
from .encode import encode
from .explain import explain as explain_command
from .info import info
from .models import models
from .train import train


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(nlmzip.__version__, "-V", "--version", message="%(prog)s %(version)s")
@click.pass_context
def program(context: click.Context) -> "int | None":
    """Compress text by predicting it: a mixing engine, a trained model's counts and neural
    networks, or both together, drive an arithmetic code.

    An archive of FILE is FILE.nlmz; FILE is kept. Exit status: 0 done, 1 error,
    2 warning, 128 + n after signal n.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(messages.ERROR)


@click.command("help", short_help="Show the help of a command.")
@click.argument("name", metavar="[COMMAND]", required=False)
def help_command(name):
    """Show the help of COMMAND, or that of nlmzip, as --help does."""
    return run(["--help"] if name is None else [name, "--help"])


for command in (encode, decode, info, models, train, bench, explain_command, help_command):
    program.add_command(command)


def run(arguments: list[str]) -> int:
    """Run the program without click's own handling of exits, errors and signals."""
    try:
        with program.make_context("nlmzip", list(arguments)) as context:
            return program.invoke(context) or messages.OK
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
        close = get_close_matches(error.option_name.lstrip("-"), options)
        alike = " or ".join(sorted(options[each] for each in close))
        return f"no such option {error.option_name}" + (f", perhaps {alike}" if alike else "")
    text = " ".join(error.format_message().split()).rstrip(".")
    return text[:1].lower() + text[1:]

"""`nlmzip FILE`, `nlmzip -d FILE` and so on: the commands for files as options, as gzip, xz and
zstd have them.

The options are those of the commands. Called by program.py, also as `unnlmzip` and `nlmzcat`.
"""

import click
from click.core import ParameterSource

import nlmzip

from .decode import decode, test
from .encode import encode
from .listing import list_command

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
version_option = click.version_option(
    nlmzip.__version__, "-V", "--version", message="nlmzip %(version)s"
)

_COMMANDS = {"encode": encode, "decode": decode, "test": test, "list": list_command}


def _mode(command: str, *names: str, text: str) -> click.Option:
    return click.Option(names + ("mode",), flag_value=command, default=None, type=str, help=text)


_MODES = [
    _mode("encode", "-z", "--compress", text="Encode, which is the default."),
    _mode("decode", "-d", "--decompress", text="Decode, as the command decode."),
    _mode("test", "-t", "--test", text="Check archives, as the command test."),
    _mode("list", "-l", "--list", text="Show sizes, as the command list."),
]


#: What is no matter where it has no meaning, as in gzip: tar -I "nlmzip -9" -xf adds just -d, and
#: nlmzcat -l lists.
_HARMLESS = {"level", "force", "stdout"}


def _run(mode: "str | None", **values) -> int:
    context = click.get_current_context()
    name = mode or "encode"
    command = _COMMANDS[name]
    own = {parameter.name for parameter in command.params}
    for option in context.command.params:
        foreign = option.name in values and option.name not in own | _HARMLESS
        given = context.get_parameter_source(option.name) == ParameterSource.COMMANDLINE
        keeping = option.name == "remove" and not values["remove"]
        if foreign and given and not keeping:
            spelled = "--rm" if option.name == "remove" else option.opts[-1]
            raise click.UsageError(f"{spelled} is no option of {name}", context)
    return command.callback(**{key: value for key, value in values.items() if key in own})


def _parameters() -> list[click.Parameter]:
    """Those of all commands, each once, behind what chooses one."""
    taken = {option for mode in _MODES for option in mode.opts}
    found = {}
    for command in _COMMANDS.values():
        for parameter in command.params:
            if not taken & set(parameter.opts):
                found.setdefault((parameter.name, *parameter.opts), parameter)
    return _MODES + list(found.values())


plain = version_option(
    click.Command(
        "nlmzip",
        callback=_run,
        params=_parameters(),
        context_settings=HELP,
        help="Encode each FILE to FILE.nlmz, or what -d, -t or -l say; the last one counts."
        " Without FILE, or where it is -, it is standard input to standard output.",
    )
)

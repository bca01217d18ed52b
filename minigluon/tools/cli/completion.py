"""`minigluon completion`: a shell script that completes commands, options and files."""

from __future__ import annotations

import argparse
from typing import Any

from . import fish
from .extras import require

__all__ = ["SHELLS", "add_parser", "script"]

SHELLS = ["bash", "fish", "zsh", "tcsh"]


def add_parser(commands: Any, whole: Any) -> None:
    """Add the command. whole: the parser for all commands."""
    parser = commands.add_parser(
        "completion", help="print a script that makes a shell complete commands and options",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Print a script that makes a shell complete commands, options, their choices, files and folders.",
        epilog="examples:\n"
               '  eval "$(minigluon completion bash)"                              in ~/.bashrc\n'
               "  minigluon completion fish > ~/.config/fish/completions/minigluon.fish\n"
               "  minigluon completion zsh > ~/.zfunc/_minigluon                   a folder in zsh's fpath\n"
               "  minigluon completion tcsh > ~/.minigluon.tcsh                    then source it in ~/.tcshrc\n")
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=" or ".join(SHELLS))
    parser.set_defaults(run=lambda args: print(script(whole, args.shell)))


def script(parser: Any, shell: str) -> str:
    """Return the script for a shell. Raises MXNetError if shtab is not installed, which fish does not need."""
    if shell == "fish":
        return fish.script(parser)
    require("shtab", extra="completion")
    import shtab
    files = {"FILE": shtab.FILE, "PATH": shtab.FILE, "PROGRAM": shtab.FILE, "MODULE:NET": shtab.FILE,
             "FOLDER": shtab.DIRECTORY, "DATA": shtab.DIRECTORY}
    for action in _actions(parser):
        if action.metavar in files:
            action.complete = files[action.metavar]
    return shtab.complete(parser, shell)


def _actions(parser):
    """Yield all options and arguments, including those of subcommands."""
    for action in parser._actions:
        yield action
        if isinstance(action.choices, dict):            # {command name: its parser}
            for command in action.choices.values():
                yield from _actions(command)

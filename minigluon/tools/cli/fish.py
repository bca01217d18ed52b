"""Completion for fish, which shtab does not support: one `complete` line per command, option and argument."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

__all__ = ["script"]

FILES = ("FILE", "PATH", "PROGRAM", "MODULE:NET")
FOLDERS = ("FOLDER", "DATA")


def script(parser: Any) -> str:
    """Return the script that fish reads.

    parser: the parser for all commands.
    """
    return "\n".join([f"# fish completion of {parser.prog}", *_lines(parser.prog, parser, [])])


def _lines(program, parser, path) -> Iterator[str]:
    """Yield the lines for a parser, whose command is reached by the words in `path`, and for its subparsers."""
    commands = next((a for a in parser._actions if isinstance(a.choices, dict)), None)
    start = f"complete -c {program} -n {_quoted(_condition(path, commands))}"
    if commands is not None:
        descriptions = {choice.dest: choice.help for choice in commands._choices_actions}
        for name in commands.choices:
            yield f"{start} -f -a {name} -d {_quoted(descriptions.get(name) or '')}"
    for action in parser._actions:
        if action is not commands and action.help != argparse.SUPPRESS:
            yield " ".join([start, *_words(action)])
    for name, command in (commands.choices if commands is not None else {}).items():
        yield from _lines(program, command, [*path, name])


def _condition(path, commands):
    """Return a fish test for whether the words typed so far are those in `path`, without a further command."""
    conditions = [f"__fish_seen_subcommand_from {word}" for word in path]
    further = [f"not __fish_seen_subcommand_from {' '.join(commands.choices)}"] if commands is not None else []
    return "; and ".join([*conditions, *further]) or "true"


def _words(action):
    """Yield the words for an option, or for an argument without a name."""
    for option in action.option_strings:
        yield f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
    if action.nargs != 0:
        if action.option_strings:
            yield "-r"
        if action.choices is not None:
            yield f"-f -a {_quoted(' '.join(map(str, action.choices)))}"
        elif action.metavar in FOLDERS:
            yield "-f -a '(__fish_complete_directories)'"
        elif action.metavar in FILES:
            yield "-F"
        else:
            yield "-f"
    if action.help:
        yield f"-d {_quoted(' '.join((action.help % _values(action)).split()))}"


def _values(action):
    return {"default": action.default, "prog": "minigluon"}


def _quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

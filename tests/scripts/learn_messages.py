"""The Chinese catalogue of the course: which messages have fallen behind.

    python tests/scripts/learn_messages.py             name them; exit status 1 if there are any
    python tests/scripts/learn_messages.py --write     write the catalogue anew, in the order of the source

`--write` leaves `msgstr ""` for a message that is new, and a comment with the translation of one that has gone. The
catalogue has to hold what `minigluon learn` says itself, and the texts of the first STEPS steps: titles, tasks, hints,
and all that their checks can say.
"""

import ast
import json
import os
import re
import sys
from pathlib import Path

os.environ["MINIGLUON_BACKEND"] = "numpy"           # the checks of the course run on it
os.environ["MINIGLUON_LANG"] = "en"

from minigluon.tools.learn import checking, text
from minigluon.tools.learn.grading import checks_of
from minigluon.tools.learn.step import NAMES, Row, load

__all__ = ["CATALOGUE", "STEPS", "messages", "troubles"]

STEPS = 4
CATALOGUE = text.FOLDER / "zh.po"
LEARN = text.FOLDER.parent

# function -> which of its arguments are messages
SPEAKERS = {"_": [0], "check": [1], "expect": [1], "wrong": [0], "filled": [0], "same": [0, 3]}


def messages():
    """{message: where it stands}, in the order of the source."""
    found = {}
    for path in [LEARN.parent / "cli" / "learn.py", *sorted(LEARN.glob("*.py"))]:
        found |= dict.fromkeys(_literals(path), path.name)
    for name in NAMES[:STEPS]:
        step = load(name)
        tasks = [task for part in step.holes for task in
                 ([part.task] if isinstance(part, Row) else [hole.task for hole in part.holes])]
        hints = [hint for hints in step.hints.values() for hint in hints]
        found |= dict.fromkeys([step.title, *tasks, *hints], f"{name}/step.py")
        found |= dict.fromkeys([*_literals(step.folder / "checks.py"), *_said(step)], f"{name}/checks.py")
    return {message: where for message, where in found.items() if message}


def _literals(path):
    """The messages that stand in a file as they are."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        for i in SPEAKERS.get(getattr(call.func, "id", None), []):
            if i < len(call.args) and isinstance(getattr(call.args[i], "value", None), str):
                yield call.args[i].value


def _said(step):
    """What the checks ask to be translated when they pass: so also what comes from tables, or is put together."""
    said = []
    checking._ = lambda message: said.append(message) or message
    try:
        for check in checks_of(step):
            check()
    finally:
        checking._ = text._
    return [message for message in said if message not in _OF_SAME]


_OF_SAME = set(_literals(Path(checking.__file__)))


def troubles(wanted, path):
    """What is wrong with a catalogue, in sentences."""
    catalogue = text.read_catalogue(path)
    found = [f"{where}: not translated, or fuzzy: {message!r}" for message, where in wanted.items()
             if message not in catalogue]
    found += [f"{where}: other names in braces: {message!r} -> {catalogue[message]!r}"
              for message, where in wanted.items() if message in catalogue
              and sorted(_braces(message)) != sorted(_braces(catalogue[message]))]
    return found + [f"in the catalogue alone: {message!r}" for message in catalogue if message not in wanted]


def _braces(message):
    return re.findall(r"\{[^{}]*\}", message)


def _write(wanted, path):
    """The catalogue with all that is wanted, and nothing else."""
    old = text.read_catalogue(path) if path.is_file() else {}
    entries = ['msgid ""\nmsgstr ""\n"Language: zh\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"']
    entries += [f"#: {where}\nmsgid {_quoted(message)}\nmsgstr {_quoted(old.get(message, ''))}"
                for message, where in wanted.items()]
    entries += [f"# gone, was: {_quoted(old[message])}" for message in old if message not in wanted]
    path.write_text("\n\n".join(entries) + "\n", encoding="utf-8")


def _quoted(message):
    return json.dumps(message, ensure_ascii=False)


def main(arguments):
    """Write, or name what is behind."""
    wanted = messages()
    if arguments == ["--write"]:
        _write(wanted, CATALOGUE)
    found = troubles(wanted, CATALOGUE)
    print("\n".join(found) or f"{len(wanted)} messages, all translated")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Write data/promised_names.json: the public names that 1.0 promises, with the names of their parameters, in order.

    python tests/records/record_promised_names.py       # with a new minor version: adds its names, and removes none

docs/versions.md says what a promise is, and tests/package/test_promised_names.py compares. Operators' attributes are
parameters by name only.
"""

import inspect
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.docstrings import is_operator, public_names

FILE = Path(__file__).parent / "data" / "promised_names.json"
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
NAMED = (*POSITIONAL[1:], inspect.Parameter.KEYWORD_ONLY)


def parameters(thing):
    """(names of the parameters that a call may give by position, in order; those that it may name); None if unknown."""
    if is_operator(thing):
        return list(thing.arguments or ()), sorted(thing.fields)
    try:
        found = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return None
    found = [p for p in found if p.name != "self"]
    return [p.name for p in found if p.kind in POSITIONAL], sorted(p.name for p in found if p.kind in NAMED)


def names_here():
    """{public name: its parameters}, for functions, classes and their members."""
    here = {}
    for item in public_names():
        for name in item.names:
            here[name] = parameters(item.object)
    return here


def text_of(promised):
    """JSON with a line for each name: 'a, b; c' has c by name only, and null no known parameters."""
    lines = {}
    for name, found in sorted(promised.items()):
        lines[name] = found and "; ".join([", ".join(found[0]), *([", ".join(sorted(set(found[1]) - set(found[0])))]
                                                                   if set(found[1]) - set(found[0]) else [])])
    return json.dumps(lines, indent=0, ensure_ascii=False) + "\n"


def recorded():
    """{name: (positional, only by name)}, as text_of wrote it."""
    found = {}
    for name, text in json.loads(FILE.read_text(encoding="utf-8")).items():
        positional, _, named = (text or "").partition("; ")
        found[name] = None if text is None else (split(positional), split(named))
    return found


def split(text):
    return [name for name in text.split(", ") if name]


if __name__ == "__main__":
    FILE.write_text(text_of(names_here()), encoding="utf-8")

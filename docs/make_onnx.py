"""Write onnx.md: which operators have a form in ONNX files, since which opset, and why the others have none.

    python docs/make_onnx.py

The tables are those of `minigluon.onnx.exporter.table`. What stands before them in onnx.md is written by hand, and
stays. A test writes the page again and compares, so that it cannot grow old.
"""

from collections import defaultdict
from pathlib import Path

from minigluon.onnx.exporter import table
from minigluon.ops import REGISTRY

HERE = Path(__file__).parent
MARK = "## Operators\n"


def main():
    path = HERE / "onnx.md"
    path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")


def page(text):
    """The page with the tables written anew behind what is written by hand."""
    table.load()
    return text.partition(MARK)[0] + MARK + "\n" + "\n".join([*translated(), "", *listed()]) + "\n"


def translated():
    """Rows of the operators that have a translation, by street and file."""
    places = defaultdict(list)
    for name, translation in sorted(table.TRANSLATIONS.items()):
        street = translation.function.__module__.partition(".operators.")[2].replace(".", "/")
        notes = [f"since {translation.since}"] * (translation.since > table.OLDEST) + [translation.note]
        note = ", ".join(filter(None, notes))
        places[street].append(f"`{name}`" + (f" ({note})" if note else ""))
    yield (f"{len(table.TRANSLATIONS)} of {len({cls.name for cls in REGISTRY.values()})} operators have a translation, "
           f"from opset {table.OLDEST} on where nothing else is said.")
    yield ""
    yield "| file in `minigluon/onnx/exporter/operators` | operators |"
    yield "|---|---|"
    for street, names in sorted(places.items()):
        yield f"| `{street}.py` | {', '.join(names)} |"


def listed():
    """Rows of the others, by reason."""
    reasons = defaultdict(list)
    for name, reason in sorted(table.LISTED.items()):
        reasons[reason].append(f"`{name}`")
    yield "The others are named by an error, all of a network at once:"
    yield ""
    yield "| reason | operators |"
    yield "|---|---|"
    for reason, names in sorted(reasons.items()):
        yield f"| {reason} | {', '.join(names)} |"


if __name__ == "__main__":
    main()

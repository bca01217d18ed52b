"""Write `spine.md`: the files entered by five walks through the engine, in reading order.

`python docs/make_spine.py`, from a checkout that has the tests' helpers. A test fails if the page is outdated.
"""

import ast
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from helpers.imports import Package  # noqa: E402
from helpers.spine import entered, entered_before, is_beside  # noqa: E402

import minigluon as mx  # noqa: E402

ROOT = Path(mx.__file__).parent
# The parts in reading order; within a part, files are in the order of their imports.
PARTS = {
    "What everything uses": ("providers.py", "common", "diagnostics", "context.py", "name.py", "attribute.py"),
    "Operators": ("ops", "frontend"),
    "Kernels": ("backend", "dispatch.py"),
    "The tape and arrays": ("tape", "ndarray", "autograd"),
    "Symbols": ("symbol",),
    "From a graph to a plan": ("hybrid",),
    "First values and steps": ("initializer", "optimizer"),
    "Gluon": ("gluon",),
}
HEAD = """# The spine

These are all files that five walks enter: a call with the tape, backward, `Trainer.step`, and a hybridized call, the
first and the second time. A net of two Dense layers makes the walks on NumPy; `tests/helpers/spine.py` traces them.
The layers know their sizes, and each function of `nd` and `sym` has been looked up before; [the second
table](#before-the-walks) lists the additional files for deferred initialization and for creating those functions. If a
function is written twice, plainly and for speed (`minigluon/common/fast_paths.py`), the walks take the plain one.

The many similar files are left out; open the ones you need: the categories of operators in
[`ops`](../minigluon/ops) and [`backend/numpy`](../minigluon/backend/numpy), the layers in
[`gluon/nn`](../minigluon/gluon/nn), the losses in [`gluon/loss`](../minigluon/gluon/loss).

No file imports one that comes after it in the table. The numbers are line counts, including docstrings.
"""
BEFORE = """## Before the walks

The additional files for deferred initialization, when the first call determines the layers' sizes, and for creating a
function of `nd` or `sym` when it is first looked up. These files are not counted above.
"""


def spine():
    """Return (the files of the walks, the files entered before the walks), as paths below the package, in reading
    order."""
    walks = {path for path in entered() if not is_beside(path)}
    before = {path for path in entered_before() if not is_beside(path)} - walks
    return _in_order(walks), _in_order(before)


def _in_order(paths):
    """Return paths below the package, each after the files that it imports."""
    package = Package(ROOT)
    file_of = {name: path.relative_to(ROOT).as_posix() for name, path in package.modules.items()}
    needs = {path: {file_of[owner] for target, _ in package.imported(ROOT / path)
                    if (owner := package.owner(target)) is not None} & paths - {path} for path in paths}
    order = []
    while len(order) < len(paths):
        free = [path for path in paths if path not in order and needs[path] <= set(order)]
        order.append(min(free, key=lambda path: (_rank(path), path)))
    return order


def _rank(path):
    places = [place for places in PARTS.values() for place in places]
    return next(number for number, place in enumerate(places) if path == place or path.startswith(place + "/"))


def page():
    """Return the text of the page."""
    walks, before = spine()
    sizes = {path: (ROOT / path).read_text(encoding="utf-8").count("\n") for path in walks}
    counted = f"{len(walks)} files, {sum(sizes.values()):,} lines.\n"
    return "\n".join([HEAD, counted, *_table(walks), "", BEFORE, *_table(before)]) + "\n"


def _table(paths):
    yield "| file | lines | what it is |\n|---|---:|---|"
    for path in paths:
        text = (ROOT / path).read_text(encoding="utf-8")
        said = ast.get_docstring(ast.parse(text)) or ""
        first = " ".join(said.partition("\n\n")[0].split()).replace("|", "\\|")
        yield f"| [`minigluon/{path}`](../minigluon/{path}) | {text.count(chr(10))} | {first} |"


if __name__ == "__main__":
    (HERE / "spine.md").write_text(page(), encoding="utf-8")

"""The public names, and the reference page of each."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))

from scripts.docstrings import is_operator, public_names  # noqa: E402

from minigluon.numpy import fallback  # noqa: E402
from minigluon.numpy.functions import elementwise  # noqa: E402
from minigluon.numpy.table import FUNCTIONS  # noqa: E402

__all__ = ["Entry", "entries"]

LARGE = {"nd.NDArray", "sym.Symbol"}            # classes with their own pages


@dataclass
class Entry:
    """A public function or class, and its public members.

    label: its shortest name. names: all of its names. thing: the function or class; for an operator, the class.
    page: its page, below `api`. members: [(name, function)].
    """

    label: str
    names: list
    thing: object
    page: str
    members: list = field(default_factory=list)

    @property
    def is_operator(self):
        return is_operator(self.thing)

    @property
    def short(self):
        return self.label.rpartition(".")[2]


def entries():
    """Return all entries, sorted by page and name."""
    found, members = {}, []
    for item in public_names():
        if item.is_member:
            members.append(item)
        else:
            found[item.label] = Entry(item.label, sorted(item.names, key=_order), item.object, _page(item))
    for item in members:
        owner, _, name = item.label.rpartition(".")
        found[owner].members.append((name, item.object))
    return sorted(found.values(), key=lambda entry: (entry.page, entry.label.lower()))


def _order(name):
    """Return the sort key of a name: nd before sym before all other namespaces, and short names first."""
    return not name.startswith("nd."), not name.startswith("sym."), name.count("."), name


def _page(item):
    """Return a page's name: 'operators/nn-matrix', 'gluon.nn', 'nd.NDArray'."""
    if is_operator(item.object):
        return "operators/" + item.object.__module__.removeprefix("minigluon.ops.").replace(".", "-")
    namespace, _, name = item.label.rpartition(".")
    if namespace == "np" and name in fallback.NAMES:        # one page for all of `np` would be too long
        return "np.fallback"
    if namespace == "np" and name in FUNCTIONS and FUNCTIONS[name].call.__module__ == elementwise.__name__:
        return "np.elementwise"
    return item.label if item.label in LARGE else namespace or "mx"


"""The pages of the reference."""

import importlib
import inspect
import re
import sys
from itertools import groupby
from pathlib import Path

import minigluon as mx
from minigluon.ops.docstrings import public_doc

from .names import ROOT, entries
from .rest import escape, indented, prose, signature_text, text_of

__all__ = ["write_reference"]

FEW = 3         # a page with fewer names does not need a table of them

INTRODUCTION = """Every public name: its signature, what it computes, the shapes that go in and come out, its errors,
and an example that a test runs. The functions of ``nd`` and ``sym`` that are operators have one entry for both, below
`Operators <operators.html>`__; everything else stands under the namespace that a program takes it from.
"""


def write_reference(out, wanted):
    """Write the reference to the folder `out`/api. wanted: collects the source files that are linked."""
    folder = out / "api"
    (folder / "operators").mkdir(parents=True)
    found = entries()
    links = links_of(found)
    pages = {page: list(group) for page, group in groupby(found, key=lambda entry: entry.page)}
    for page, group in pages.items():
        text = heading(title_of(page), "=") + introduction(page, links) + overview(group, links)
        text += "".join(entry_text(entry, links, wanted) for entry in group)
        (folder / f"{page}.rst").write_text(text, encoding="utf-8")
    operators = [page for page in pages if page.startswith("operators/")]
    others = sorted(set(pages) - set(operators), key=lambda page: (page != "mx", page.lower()))
    listed = {"index": ("Reference", INTRODUCTION + counts(found), ["operators", *others]),
              "operators": ("Operators", OPERATORS, operators)}
    for name, (title, text, children) in listed.items():
        tree = ".. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {child}\n" for child in children)
        (folder / f"{name}.rst").write_text(f"{heading(title, '=')}\n{text}\n{tree}", encoding="utf-8")
    return len(found), sum(len(entry.members) for entry in found)


OPERATORS = """By the file that defines them, in ``minigluon/ops``. Each is a function of ``nd``, which computes at
once, and of ``sym``, which writes a graph; the first name of an entry is the shortest.
"""


def counts(found):
    operators = sum(entry.is_operator for entry in found)
    members = sum(len(entry.members) for entry in found)
    return (f"\n{len(found) - operators} functions and classes with {members} methods and properties, and {operators} "
            "operators.\n")


def links_of(found):
    """Return {text in backticks: the name of an entry}; short names only if they are unique."""
    links, short = {}, {}
    for entry in found:
        for name in [entry.label, *(f"{entry.label}.{member}" for member, _ in entry.members)]:
            target = name
            links[name] = links[f"mx.{name}"] = target
            parts = name.split(".")
            for i in range(1, len(parts)):
                short.setdefault(".".join(parts[i:]), set()).add(target)
        for name in entry.names:
            links[name] = links[f"mx.{name}"] = entry.label
    unique = {name: min(targets) for name, targets in short.items() if len(targets) == 1 and not name.islower()}
    return unique | {name: min(targets) for name, targets in short.items()
                     if len(targets) == 1 and ("." in name or "_" in name)} | links


def title_of(page):
    if page.startswith("operators/"):
        street, _, family = page.removeprefix("operators/").partition("-")
        return f"{street}: {family}"
    return page


def heading(text, line):
    return f"{escape(text)}\n{line * (len(escape(text)) + 2)}\n\n"


def introduction(page, links):
    """Return the first paragraph of a module's docstring."""
    module = mx
    if page.startswith("operators/"):
        module = importlib.import_module("minigluon.ops." + page.removeprefix("operators/").replace("-", "."))
    elif page != "mx":
        for part in page.split("."):
            module = getattr(module, part, None)
    doc = inspect.getdoc(module) if inspect.ismodule(module) else None
    return prose(" ".join((doc or "").split("\n\n")[0].split()), links) + "\n\n"


def overview(group, links):
    """Return a table with the names on a page and the first line of each docstring.

    A class with its own page lists its members.
    """
    rows = [(entry.label, public_doc(entry.thing, "NDArray") if entry.is_operator else entry.thing.__doc__)
            for entry in group]
    if len(group) == 1:
        rows = [(f"{group[0].label}.{name}", member.__doc__) for name, member in sorted(group[0].members)]
    if len(rows) < FEW:
        return ""
    table = ".. list-table::\n   :class: overview\n   :widths: auto\n\n"
    for name, doc in rows:
        table += f"   * - :py:obj:`{name.rpartition('.')[2]} <{name}>`\n     - {prose(first_line(doc), links)}\n"
    return table + "\n"


def first_line(doc):
    """Return the first paragraph of a docstring on one line."""
    return " ".join(inspect.cleandoc(doc or "").split("\n\n")[0].split())


def entry_text(entry, links, wanted):
    """Return the text of one function, class or operator."""
    if entry.is_operator:
        return operator_text(entry, links, wanted)
    thing = entry.thing
    if not inspect.isclass(thing):
        # NumPy's own functions are left out of the index, because its page for all letters would be too long.
        option = "   :no-index-entry:\n" if entry.page == "np.fallback" else ""
        return f".. py:function:: {entry.label}{signature_text(thing)}\n{option}\n" + indented(
            text_of(thing.__doc__, thing, links) + also(entry, entry.names) + source(thing, wanted)) + "\n\n"
    body = text_of(vars(thing).get("__doc__"), thing, links) + bases(thing, links) + also(entry, entry.names)
    body += source(thing, wanted)
    body += "".join(member_text(thing, name, function, links) for name, function in sorted(entry.members))
    kind = "exception" if issubclass(thing, BaseException) else "class"
    return f".. py:{kind}:: {entry.label}{signature_text(thing)}\n\n" + indented(body) + "\n\n"


def operator_text(entry, links, wanted):
    """Return the text of an operator: the functions of nd and sym, which have the same parameters."""
    function = mx
    for part in entry.label.split("."):
        function = getattr(function, part)
    heads = [f"{entry.label}{signature_text(function)}"]
    twin = re.sub(r"^nd\.", "sym.", entry.label)
    heads += [f"{twin}(...)"] if twin != entry.label and twin in entry.names else []
    rest = [name for name in entry.names if name not in (entry.label, twin)]
    if hasattr(mx.nd.NDArray, entry.short):
        rest.append(f"NDArray.{entry.short}")
    body = text_of(public_doc(entry.thing, "NDArray"), function, links)
    body += also(entry, rest) + source(entry.thing, wanted)
    head = ".. py:function:: " + "\n                 ".join(heads)
    return f"{head}\n\n{indented(body)}\n\n"


def member_text(cls, name, function, links):
    """Return the text of a method or property."""
    member = inspect.getattr_static(cls, name, function)
    kind, option = "method", ""
    if not inspect.isroutine(getattr(member, "__func__", member)):
        kind = "property"
    elif isinstance(member, (classmethod, staticmethod)):
        option = f"   :{type(member).__name__}:\n"
    signature = "" if kind == "property" else signature_text(function, not isinstance(member, staticmethod))
    return f"\n\n.. py:{kind}:: {name}{signature}\n{option}\n" + indented(text_of(function.__doc__, function, links))


def also(entry, names):
    """Return the other names of an entry."""
    others = [f"``{name}``" for name in names if name != entry.label]
    return f"\n\nAlso {', '.join(others)}." if others else ""


def bases(cls, links):
    """Return the classes from which a class inherits its remaining methods."""
    labels = [links.get(f"{base.__module__.removeprefix('minigluon.')}.{base.__name__}") or links.get(base.__name__)
              for base in cls.__bases__]
    labels = [f":py:obj:`{label}`" for label in labels if label]
    return f"\n\nA kind of {', '.join(labels)}." if labels else ""


def source(thing, wanted):
    """Return a link to the line that defines an object."""
    thing = thing.__dict__.get("family", thing) if inspect.isclass(thing) else inspect.unwrap(thing)
    if inspect.isclass(thing):
        file = Path(sys.modules[thing.__module__].__file__)
        begin = re.search(rf"^ *class {thing.__name__}\b", file.read_text(encoding="utf-8"), re.MULTILINE)
        line = begin and begin.string.count("\n", 0, begin.start()) + 1
    else:
        file, line = Path(thing.__code__.co_filename), thing.__code__.co_firstlineno
    path = file.resolve().relative_to(ROOT).as_posix()
    wanted.add(path)
    anchor = f"#L-{line}" if line else ""
    return f"\n\n.. rst-class:: defined\n\n`{path} <site:source/{path}.html{anchor}>`__"

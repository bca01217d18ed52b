"""The public names: which of them have a docstring with an example, and which of their parameters it explains.

    python tests/scripts/docstrings.py                    counts by namespace, and what is missing
    python tests/scripts/docstrings.py --missing nd       what is missing in one namespace
    python tests/scripts/docstrings.py --run gluon.nn     run the examples of a module or package

Public are the names of MXNet that are here (docs/names.md), what `minigluon` itself and its public modules offer
(`__all__`, or what a package without one defines), and the methods and properties of all these classes. One docstring
counts once: a function under two names, an operator that is in `nd`, in `sym` and a method of arrays, a method that
subclasses inherit or override (it counts with the class that defines it first).

A class or function has an example where its docstring has one in which it is used under one of its names. A method or
property has one where an example in its docstring, or in its class's, has `.name` or `def name` in it. When a parameter
is said, parameters.py tells.
"""

import argparse
import ast
import contextlib
import doctest
import importlib
import inspect
import json
import operator
import os
import re
import sys
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, init, nd, sym
from minigluon.frontend.namespaces import Namespace
from minigluon.gluon import nn

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))
from helpers.registries import registering_nothing  # noqa: E402
from helpers.stand_ins import stand_ins  # noqa: E402
from scripts.parameters import listed_unsaid, parameters_of, unsaid  # noqa: E402

# Modules of functions that tables make: no file has their examples as docstrings.
MADE = ["minigluon.numpy", "minigluon.numpy.extension"]

NAMESPACE = {"mx": mx, "nd": nd, "sym": sym, "gluon": gluon, "nn": nn, "autograd": autograd, "init": init, "np": np}

# Modules that programs use by name though MXNet has none like them: the rest of the package is its inside.
OWN_MODULES = ["ops", "strictness", "gluon.model_zoo.text"]

# Modules whose examples read published data sets.
DATA_SETS = ["minigluon.gluon.contrib.data.text", "minigluon.gluon.data.vision.datasets", "minigluon.test_utils.files"]

# Why an example does not run.
REASONS = {"minigluon/tools/bench/run.py": "it measures for 15 seconds"}

# What parts of the engine call across files, and no program: public methods that are no interface, by class.
INSIDE = {
    "BaseRNNCell": "without_modifier",
    "Block": "graph_obstacle",
    "CosineScheduler": "shape",
    "Dataset": "rows",
    "F1": "score",
    "GatedCell": "products",
    "HookHandle": "attach",
    "HybridBlock": "activate add_graph_host block_graphs drop_graphs hybrid_flags",
    "MAE": "error",
    "MCC": "score",
    "MSE": "error",
    "Parameter": "computes_data described",
    "Monitor": "stat_helper",
    "Optimizer": "is_mixed",
    "PixelTransform": "apply_to",
    "PolyScheduler": "shape",
    "RMSE": "error",
    "RecurrentCell": "without_modifier",
    "SymbolBlock": "nest trace",
    "TrainStep": "drop_graphs forget_kernels params plans",
    "Trainer": "contexts parameters plan_obstacle replicas rescale send sends_early share single_device_step",
    "Updater": "prepare read_states states_of sync_state_context take_states",
    "_ConvCell": "products",
    "_GatedCell": "products",
    "_Stack": "steps",
}


@dataclass(repr=False)
class PublicName:
    """A public object: the names it has ('nd.exp', 'sym.exp'), and the docstrings that may have its example.

    object: the class or function itself, of an operator its class. is_member: it is a method or property.
    own_docs: the docstrings that may explain its parameters; of a member not those of its class.
    """

    names: list
    object: object
    is_member: bool = False
    docs: list = field(default_factory=list)
    own_docs: list = field(default_factory=list)

    @property
    def label(self):
        """The first of its names with the fewest parts."""
        return min(self.names, key=lambda name: name.count("."))

    @property
    def namespace(self):
        """'nd', 'gluon.nn', 'optimizer', 'mx': the module, of at most two parts."""
        parts = [part for part in self.label.split(".")[:-1] if not part[:1].isupper()]
        return ".".join(parts[:2]) or "mx"

    @property
    def has_example(self):
        """Is it used in an example of its own docstring, or a member in one of its class's?"""
        short = {re.escape(name.rpartition(".")[2]) for name in self.names}
        used = re.compile((r"(\.|def )" if self.is_member else r"\b") + rf"({'|'.join(short)})\b")
        return any(used.search(code) for doc in self.docs for code in example_lines(doc))


def example_lines(doc):
    """The lines of a docstring that are code of an example."""
    return [line.strip()[3:] for line in (doc or "").splitlines() if line.strip().startswith((">>>", "..."))]


def public_names():
    """All PublicNames, in the order in which the namespaces are walked."""
    found = {}
    for namespace, module, names in namespaces():
        for name in names:
            add(found, f"{namespace}.{name}".removeprefix("mx."), getattr(module, name, None))
    for item in [item for item in found.values() if inspect.isclass(item.object) and not is_operator(item.object)]:
        add_members(found, item)
    return list(found.values())


def namespaces():
    """(name, module, its public names) for each: first MXNet's, which are the names that programs write."""
    recorded = json.loads((TESTS / "records" / "data" / "mxnet_names.json").read_text(encoding="utf-8"))
    imported, walked = imported_names(), {}
    for name in sorted(recorded, key=lambda name: (not name.startswith("nd"), not name.startswith("sym"))):
        module = mx
        for part in name.split(".") if name != "mx" else []:
            module = getattr(module, part, None)
        if inspect.ismodule(module) or isinstance(module, Namespace):
            walked[name] = module, set(recorded[name]) & set(dir(module))
    for name in sorted(imported) + OWN_MODULES:
        module = operator.attrgetter(name)(mx)
        if inspect.ismodule(module):
            walk(walked, name, module)
    walked["mx"] = mx, imported
    return [(name, module, sorted(names)) for name, (module, names) in walked.items()]


def imported_names():
    """The public names that `minigluon/__init__.py` imports, and those that it imports when they are asked for."""
    tree = ast.parse(Path(mx.__file__).read_text(encoding="utf-8"))
    aliases = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    names = {alias.asname or alias.name for alias in aliases} | set(mx.__all__)
    return {name for name in names if not name.startswith("_")}


def walk(walked, namespace, module):
    """Add what a module, and the modules that its `__all__` lists, offer besides MXNet's names to `walked`."""
    listed = getattr(module, "__all__", None)
    public = set(listed or [name for name in dir(module) if not name.startswith("_")])
    known = next((names for seen, names in walked.values() if seen is module), None)
    if known is not None:
        known |= public
        return
    walked[namespace] = module, public
    for name in listed or ():
        part = getattr(module, name)
        if inspect.ismodule(part) and part.__name__.startswith(f"{module.__name__}."):
            walk(walked, f"{namespace}.{name}", part)


def add(found, name, thing):
    """Enter an object under a name, where it is a class or function of this package."""
    thing = getattr(thing, "op", thing) if inspect.isfunction(thing) else thing
    inner = getattr(thing, "__func__", thing)
    if not callable(thing) or not (getattr(inner, "__module__", None) or "").startswith("minigluon"):
        return
    item = found.setdefault(id(inner), PublicName([], inner))
    item.names.append(name)
    item.docs = item.own_docs = [own_doc(inner)]


def add_members(found, item):
    """Enter the methods and properties of a public class, each with the class that defines it first."""
    cls = item.object
    classes = [c for c in cls.__mro__ if c.__module__.startswith("minigluon")]
    for name in sorted({name for c in classes for name in vars(c) if not name.startswith("_")}):
        chain = [c for c in classes if name in vars(c)]
        owner, member = chain[-1], vars(chain[-1])[name]
        function = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
        if not inspect.isfunction(function) or hasattr(function, "op"):
            continue
        home = _public_class(found, owner) or item          # of a mixin: the class that is made of it
        if not any(name in INSIDE.get(c.__name__, "").split() for c in (owner, home.object)):
            entry = found.setdefault(id(function), PublicName([f"{home.label}.{name}"], function, True))
            if entry.is_member:
                entry.own_docs += [vars(c)[name].__doc__ for c in chain]
                entry.docs += [vars(c)[name].__doc__ for c in chain]
                entry.docs += [own_doc(c) for c in (owner, home.object, cls) if len(entry.docs) == len(chain)]


def _public_class(found, owner):
    """The public class that is `owner`, or the one with the fewest bases that derives from it; None where none does."""
    classes = [item for item in found.values() if inspect.isclass(item.object) and owner in item.object.__mro__]
    return min(classes, key=lambda item: len(item.object.__mro__), default=None)


def is_operator(thing):
    """Is it an operator's class, whose methods are those of the engine?"""
    return inspect.isclass(thing) and issubclass(thing, mx.ops.Op) and thing is not mx.ops.Op


def own_doc(thing):
    """The docstring, that of a class not inherited."""
    return vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__


def module_of(item):
    """'ops.math.elementwise': the module that defines a public name, without `minigluon`."""
    return item.object.__module__.partition(".")[2] or "minigluon"


def without_example(names):
    """{module: the labels of the public names without an example that it defines}, all in alphabetical order."""
    found = {}
    for item in sorted(names, key=lambda item: (module_of(item), item.label)):
        if not item.has_example:
            found.setdefault(module_of(item), []).append(item.label)
    return found


def listed(missing):
    """The same as a text, with a heading for each module."""
    return "".join(f"# {module}\n" + "".join(f"{label}\n" for label in labels) + "\n"
                   for module, labels in missing.items())


def modules_with_examples():
    """The names of the package's modules that have an example in their text."""
    package = Path(mx.__file__).parent
    prompt = re.compile(r"^ +>>> ", re.MULTILINE)
    files = [path for path in package.rglob("*.py") if prompt.search(path.read_text(encoding="utf-8"))]
    names = {".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
             for path in files}
    return sorted({*names, *MADE})


def namespace_of(module):
    """The names that the examples of a module see: in the parts of `mx.np`, `np` and `npx` are MXNet's."""
    own = {"np": mx.np, "npx": mx.npx} if f"{module.__name__}.".startswith("minigluon.numpy.") else {}
    return {**NAMESPACE, **own}


def examples_of(module, names):
    """The doctests of a module, by their text: those of its public names see NAMESPACE, others the module's names too.

    A class that a table makes is none of the module's variables, and found among the public names.
    """
    found = {}
    for item in names:
        doc = own_doc(item.object)
        if item.object.__module__ == module.__name__ and doc and ">>>" in doc:
            found[doc] = item.label, namespace_of(module)
    for test in doctest.DocTestFinder().find(module, extraglobs=namespace_of(module)):
        if test.examples:
            found.setdefault(test.docstring, (test.name, test.globs))
    parser = doctest.DocTestParser()
    return [parser.get_doctest(text, globs, name, module.__file__, None) for text, (name, globs) in found.items()]


def failures(module, names):
    """Run a module's examples; the reports of those that fail.

    Each docstring's begin with names counted from 0 and the same random numbers, in an empty folder; what they register
    is forgotten. Small files stand in for data sets that would be downloaded.
    """
    runner, reports = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE), []
    home = Path.cwd()
    for test in examples_of(module, names):
        np.random.seed(0)
        mx.random.seed(0)
        with mx.name.NameManager(), registering_nothing(), tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            data = stand_ins(folder) if module.__name__ in DATA_SETS else contextlib.nullcontext()
            try:
                with data:
                    runner.run(test, out=reports.append)
            finally:
                os.chdir(home)
    return reports


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--missing", metavar="NAMESPACE", help="only what is missing in this namespace")
    parser.add_argument("--run", metavar="MODULE", help="run the examples of a module or package")
    options = parser.parse_args()
    names = public_names()
    if options.missing:
        names = [item for item in names if any(n.startswith(options.missing + ".") for n in item.names)]
        print_missing(names)
    elif options.run:
        sys.exit(run(options.run, names))
    else:
        print_counts(names)


def run(wanted, names):
    """Run the examples of a module and of those in it; the number of failures."""
    warnings.simplefilter("error")          # as pytest has them
    reports = []
    for name in modules_with_examples():
        if f"{name}.".startswith(f"minigluon.{wanted}."):
            reports += failures(importlib.import_module(name), names)
    print("".join(reports), end="")
    return len(reports)


def print_counts(names):
    """A table of the namespaces, and what is missing."""
    table = {}
    for item in names:
        for row in (table.setdefault(item.namespace, Counter()), table.setdefault("all", Counter())):
            row.update(names=1, examples=item.has_example)
            row.update(parameters=len(parameters_of(item)), unsaid=len(unsaid(item)))
    rows = [(name, row) for name, row in table.items() if name != "all"] + [("all", table["all"])]
    print(f"{'namespace':30}{'names':>7}{'examples':>10}{'missing':>9}{'parameters':>12}{'unsaid':>8}")
    for name, row in rows:
        print(f"{name:30}{row['names']:7}{row['examples']:10}{row['names'] - row['examples']:9}"
              f"{row['parameters']:12}{row['unsaid']:8}")
    print_missing(names)


def print_missing(names):
    """The names without an example, the parameters that are not said, and the examples that do not run."""
    for title, text in (("without an example", listed(without_example(names))),
                        ("parameters that the docstring does not explain", listed_unsaid(names)),
                        ("examples that do not run", skipped_examples())):
        if text:
            print(f"\n## {title}\n\n{text}", end="")


def skipped_examples():
    """A line for each file with examples that are written and do not run: how many, and why."""
    package = Path(mx.__file__).parent
    counts = {path.relative_to(package.parent).as_posix(): path.read_text(encoding="utf-8").count("# doctest: +SKIP")
              for path in sorted(package.rglob("*.py"))}
    return "".join(f"{path}: {count}, {REASONS.get(path, 'without a reason')}\n"
                   for path, count in counts.items() if count)


if __name__ == "__main__":
    main()

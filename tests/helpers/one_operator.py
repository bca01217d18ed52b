"""`pytest --operator FullyConnected`: the tests that are about one operator, wherever they stand, and no others.

A test is about the operator if it has a list of parameters with this operator in it, and this parameter: a row of
`op_cases`, a name or a class of the table. In a file of the operator's family a test without such a list is about it if
its text names this operator, or none at all. A test that goes through all rows by itself bears the mark `rows`: the
table has only this operator's rows then.
"""

import ast
import difflib
import functools
import inspect
import re

import pytest

from minigluon.ops import REGISTRY

# Tests of other folders are about programs, in which many operators run.
FOLDERS = ("ops", "accel", "gpu", "symbol", "onnx", "hybrid")
BY_ROWS = re.compile(r"^from (op_cases|helpers\.(gpu_rows|row_draws)) import", re.MULTILINE)
NAMESPACES = ("_contrib_", "_linalg_", "_image_", "_random_", "_sample_", "_")
SPOKEN = re.compile(r"""(?:\b(?:nd|sym|F|contrib|linalg|image|random|_internal|op)\.|["'`])(\w+)""")


def find(name):
    """The class of this name, as it is registered or as it is called: `box_nms` is _contrib_box_nms."""
    for registered in (name, *[prefix + name.rpartition(".")[2] for prefix in NAMESPACES]):
        if registered in REGISTRY:
            return REGISTRY[registered]
    near = difflib.get_close_matches(name, [known for known in REGISTRY if not known.startswith("_")], 4)
    hint = f"; near it: {', '.join(near)}" if near else ""
    raise pytest.UsageError(f"--operator: there is no operator {name!r}{hint}")


def parts_of(cls):
    """The operator, and those that it alone calls, such as _fully_connected_data_grad: they begin with "_"."""
    found, todo = {cls}, [cls]
    while todo:
        gradient = todo.pop().gradient
        text = inspect.getsource(gradient) if inspect.isfunction(gradient) else ""
        called = {REGISTRY[name] for name in re.findall(r"\bF\.(_\w+)", text) if name in REGISTRY}
        todo += [part for part in called - found if part.__module__ == cls.__module__ and part.name.startswith("_")]
        found.update(todo)
    return found


class OneOperator:
    """What is about the operator `name`; a plugin of pytest."""

    def __init__(self, name, tests):
        self.cls, self.tests = find(name), tests
        self.street, self.family = self.cls.__module__.split(".")[-2:]
        classes = parts_of(self.cls)
        self.names = {known for known, cls in REGISTRY.items() if cls in classes}
        self.spoken = self.names | {known.removeprefix(prefix) for known in self.names for prefix in NAMESPACES}

    def keep_rows(self):
        from op_cases import CASES
        CASES[:] = [case for case in CASES if case.op in self.names]

    def pytest_ignore_collect(self, collection_path):
        """Other files are not even imported: those of other families, and those that do not go by rows."""
        path = collection_path
        if not path.is_relative_to(self.tests) or path == self.tests:
            return None
        folder, *inside = path.relative_to(self.tests).parts
        if folder not in FOLDERS:
            return True
        if path.is_dir():
            return None if not inside or inside == [self.street] else True
        if len(inside) == 2:
            return None if self.is_of_family(path) else True
        return None if folder == "ops" or BY_ROWS.search(path.read_text(encoding="utf-8")) else True

    def is_of_family(self, path):
        name = path.stem.removeprefix("test_").removeprefix("accel_").removeprefix("gpu_")
        return path.parent.name == self.street and (name + "_").startswith(self.family + "_")

    @pytest.hookimpl(tryfirst=True)
    def pytest_generate_tests(self, metafunc):
        """Of hundreds of operators as parameters no tests are made that would only be left out again."""
        marks = metafunc.definition.own_markers
        marks[:] = [self.fewer(mark) if self.lists_it(mark) else mark for mark in marks]

    def lists_it(self, mark):
        """Whether a list of parameters has this operator in it; `relu` in another list is not meant as an operator."""
        return mark.name == "parametrize" and any(
            operator_of(value) in self.names for values in mark.args[1] for value in as_tuple(values))

    def fewer(self, mark):
        names, values, *more = mark.args
        if isinstance(mark.kwargs.get("ids"), list):
            return mark
        kept = [value for value in values if self.fits(as_tuple(value))]
        return pytest.mark.parametrize(names, kept, *more, **mark.kwargs).mark

    def fits(self, values):
        """Whether none of the values is an operator, or one of them is this one."""
        operators = {name for name in map(operator_of, values) if name}
        return not operators or not operators.isdisjoint(self.names)

    def pytest_collection_modifyitems(self, config, items):
        chosen = [item for item in items if self.is_about(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen

    def is_about(self, item):
        values = list(item.callspec.params.values()) if hasattr(item, "callspec") else []
        if any(map(self.lists_it, item.iter_markers())):
            return self.fits(values)
        if item.get_closest_marker("rows"):
            return True
        spoken = SPOKEN.findall(source_of(item.path, item.originalname))
        return self.is_of_family(item.path) and not any(operator_of(x) for x in values if not isinstance(x, str)) and (
            not self.spoken.isdisjoint(spoken) or REGISTRY.keys().isdisjoint(spoken))


def as_tuple(values):
    return values if isinstance(values, tuple) else (values,)


def operator_of(value):
    """The operator that a parameter is or stands for, or None."""
    name = getattr(value, "op", None) or getattr(value, "name", None) or value
    return name if isinstance(name, str) and name in REGISTRY else None


@functools.cache
def sources(path):
    """{name of a function: its text, with its decorators}"""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])
            found[node.name] = "\n".join(lines[first - 1:node.end_lineno])
    return found


def source_of(path, name):
    return sources(path).get(name, "")

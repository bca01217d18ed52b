"""None, arrays and other objects in place of each argument of each function of `nd`: a result, or an MXNetError.

Python's own message for a missing argument is clear, and the only other error that is allowed.
"""

import inspect

import numpy as np
import pytest

from minigluon import nd
from minigluon.base import ArgumentError, CallError, ContextError, MXNetError, OpAttributeError
from minigluon.ops import REGISTRY

SPACES = {"nd": nd, "nd.contrib": nd.contrib, "nd.linalg": nd.linalg, "nd.random": nd.random, "nd.image": nd.image,
          "nd.sparse": nd.sparse}
OPERATORS = {alias for cls in REGISTRY.values() for alias in (cls.name, *cls.aliases)} | {*REGISTRY}
# Files, and two functions that only this project calls.
SKIPPED = {"load", "save", "load_frombuffer", "waitall", "seed", "with_all_rows", "_Embedding_grad"}
X = nd.array([[1, 2], [3, 4]])
VALUES = [None, X, [X, None], np.ones((2, 2)), object()]


def functions(space):
    """The public functions of a namespace, and its operators."""
    for name in dir(space):
        function = getattr(space, name)
        if callable(function) and not isinstance(function, type) and name not in SKIPPED and (
                name in getattr(space, "__all__", ()) or name in OPERATORS or name.removeprefix("_") in OPERATORS):
            yield name, function


def calls(function):
    """(positional arguments, keyword arguments): each argument replaced by each of the values."""
    parameters = list(inspect.signature(function).parameters.values())
    required = [p for p in parameters if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD]
    for count in {1, 2, len(required)} - {0}:
        for i in range(count):
            yield from (([X] * i + [value] + [X] * (count - 1 - i), {}) for value in VALUES)
    for p in parameters:
        if p not in required and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
            yield from (([X] * len(required), {p.name: value}) for value in VALUES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SPACES)
def test_impossible_calls(name):
    bare = []
    for function_name, function in functions(SPACES[name]):
        for args, kwargs in calls(function):
            try:
                function(*args, **kwargs)
            except MXNetError:
                pass
            except Exception as error:
                if not (isinstance(error, TypeError) and ("missing" in str(error) or "positional" in str(error))):
                    bare.append(f"{function_name}{args, kwargs}: {type(error).__name__}: {error}")
    assert not bare, f"{len(bare)} bare errors: " + "\n".join(bare[:20])


@pytest.mark.parametrize(("call", "kind", "message"), [
    (lambda: nd._copyto(None), MXNetError, "data missing"),
    (lambda: nd._copyto("x"), CallError, "data must be an NDArray, found str"),
    (lambda: nd._sum_like(None, X), MXNetError, "data missing"),
    (lambda: nd.zeros(2, ctx=X), ContextError, "expected a Context"),
    (lambda: nd.zeros(2, stype=["csr"]), ArgumentError, "unknown storage type of type list"),
    (lambda: nd.to_dlpack_for_read([1]), CallError, "data must be an NDArray, found list"),
    (lambda: bool(X), ArgumentError, "ambiguous"),
    (lambda: nd.Custom(X, op_type=["a"]), OpAttributeError, "op_type is of type list"),
])
def test_messages(call, kind, message):
    with pytest.raises(kind, match=message):
        call()

"""Tools for running tests: environment variables, discarded output, expected errors, repetitions."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .. import ndarray as nd
from ..base import ArgumentError
from ..context import num_gpus
from ..io import DataIter

if TYPE_CHECKING:
    from ..io import DataBatch

__all__ = ["DummyIter", "assert_exception", "discard_stderr", "environment", "has_tvm_ops", "is_aarch64_run",
           "is_cd_run", "is_op_runnable", "list_gpus", "retry"]


def list_gpus() -> Any:
    """Return the ids of the available GPUs.

    >>> len(mx.test_utils.list_gpus()) == mx.num_gpus()
    True
    """
    return range(num_gpus())


def assert_exception(f: Any, exception_type: Any, *args: Any, **kwargs: Any) -> None:
    """Raise AssertionError unless `f(*args, **kwargs)` raises this exception.

    f: a function.
    exception_type: the class of the exception, or a tuple of classes.
    args, kwargs: the function's arguments.

    >>> mx.test_utils.assert_exception(int, ValueError, "five")
    """
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"{getattr(f, '__name__', f)} raised no {getattr(exception_type, '__name__', exception_type)}")


def retry(n: Any) -> Callable[..., Any]:
    """Return a decorator that runs a test up to n times, until it no longer raises AssertionError.

    >>> attempts = []
    >>> @mx.test_utils.retry(3)
    ... def second_time():
    ...     attempts.append(1)
    ...     assert len(attempts) == 2
    >>> second_time()
    """
    if n < 1:
        raise ArgumentError(f"retry: n must be at least 1, found {n}")

    def decorate(test):
        @functools.wraps(test)
        def run(*args, **kwargs):
            for remaining in reversed(range(n)):
                try:
                    return test(*args, **kwargs)
                except AssertionError:
                    if not remaining:
                        raise
                    nd.waitall()
        return run
    return decorate


@contextlib.contextmanager
def environment(*args: Any) -> Iterator[Any]:
    """Set environment variables until the end of a block: `with environment(name, value):` or `with environment({name:
    value}):`. The value None unsets a variable.

    args: a name and a value, or a dict of names and values.

    >>> import os
    >>> with mx.test_utils.environment("MINIGLUON_EXAMPLE", "1"):
    ...     os.environ["MINIGLUON_EXAMPLE"]
    '1'
    >>> "MINIGLUON_EXAMPLE" in os.environ
    False
    """
    if len(args) == 1 and isinstance(args[0], dict):
        variables = args[0]
    elif len(args) == 2:
        variables = {args[0]: args[1]}
    else:
        raise ArgumentError("environment takes a dict, or a name and a value")
    before = {name: os.environ.get(name) for name in variables}
    _set(variables)
    try:
        yield
    finally:
        nd.waitall()
        _set(before)


def _set(variables):
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextlib.contextmanager
def discard_stderr() -> Iterator[Any]:
    """Discard everything that the block, including C libraries, writes to standard error.

    >>> import sys
    >>> with mx.test_utils.discard_stderr():
    ...     count = sys.stderr.write("nobody reads this")
    """
    try:
        number = sys.stderr.fileno()
    except (AttributeError, OSError):       # not a file, as in some notebooks
        yield
        return
    sys.stderr.flush()
    duplicate = os.dup(number)
    try:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), number)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(duplicate, number)
        os.close(duplicate)


class DummyIter(DataIter):
    """An iterator that endlessly repeats the first batch of another iterator, for measuring a program's speed.

    real_iter: the other iterator.

    >>> batches = mx.test_utils.DummyIter(mx.io.NDArrayIter(nd.arange(4), batch_size=2))
    >>> batches.next().data[0].asnumpy().tolist(), batches.next().data[0].asnumpy().tolist()
    ([0.0, 1.0], [0.0, 1.0])
    """

    def __init__(self, real_iter: Any) -> None:
        super().__init__(real_iter.batch_size)
        self.real_iter = real_iter
        self.provide_data: Any = real_iter.provide_data
        self.provide_label: Any = real_iter.provide_label
        self.the_batch: Any = next(real_iter)

    def next(self) -> DataBatch:
        return self.the_batch


def is_cd_run() -> Any:
    """Return whether this is run by MXNet's own delivery pipeline (the variable CD_JOB).

    >>> mx.test_utils.is_cd_run()
    False
    """
    return os.environ.get("CD_JOB", 0) == "1"


def is_aarch64_run() -> Any:
    """Return whether this is a 64-bit ARM processor.

    >>> import platform
    >>> mx.test_utils.is_aarch64_run() == (platform.machine() == "aarch64")
    True
    """
    return platform.machine() in ("aarch64", "arm64")


def has_tvm_ops() -> bool:
    """Return False, because there are no operators generated by TVM.

    >>> mx.test_utils.has_tvm_ops()
    False
    """
    return False


def is_op_runnable() -> bool:
    """Return whether the default device can run the operators: True, because minigluon's operators run everywhere.

    >>> mx.test_utils.is_op_runnable()
    True
    """
    return True

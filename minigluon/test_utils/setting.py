"""Where tests run: device, element type, variables of the environment, another try."""

import contextlib
import functools
import os
import sys

import numpy as np

from ..base import ArgumentError
from ..context import Context, current_context, num_gpus

__all__ = ["assert_exception", "default_context", "default_dtype", "discard_stderr", "environment", "has_tvm_ops",
           "is_aarch64_run", "is_cd_run", "is_op_runnable", "list_gpus", "retry", "set_default_context"]

_default = []           # the Context of set_default_context, if it was called


def default_context():
    """The device of tests: that of `set_default_context`, otherwise the current one."""
    return _default[0] if _default else current_context()


def set_default_context(ctx):
    """Choose what `default_context` returns."""
    if not isinstance(ctx, Context):
        raise ArgumentError(f"set_default_context: ctx is {ctx!r}, expected a device such as mx.cpu()")
    _default[:] = [ctx]


def default_dtype():
    """The element type of tests, float32."""
    return np.float32


def list_gpus():
    """The numbers of the GPUs, a range."""
    return range(num_gpus())


@contextlib.contextmanager
def environment(*args):
    """`with environment(name, value):` or `with environment({name: value}):` set variables of the environment.

    None removes one. Afterwards all are as they were.
    """
    if len(args) not in (1, 2):
        raise ArgumentError(f"environment takes a name and a value, or a dict, found {len(args)} arguments")
    wanted = args[0] if len(args) == 1 else {args[0]: args[1]}
    before = {name: os.environ.get(name) for name in wanted}
    _set(wanted)
    try:
        yield
    finally:
        _set(before)


def _set(values):
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = str(value)


@contextlib.contextmanager
def discard_stderr():
    """What is written to the standard error stream inside the block, by any library, goes nowhere."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def retry(n):
    """Decorator: call a test again when it fails, n times at most, for tests of random numbers."""
    if n < 1:
        raise ArgumentError(f"retry: n is {n}, expected a number of tries, at least 1")

    def decorate(test):
        @functools.wraps(test)
        def run(*args, **kwargs):
            for attempt in range(n):
                try:
                    return test(*args, **kwargs)
                except AssertionError:
                    if attempt + 1 == n:
                        raise
            return None
        return run
    return decorate


def assert_exception(f, exception_type, *args, **kwargs):
    """Raise AssertionError unless `f(*args, **kwargs)` raises the exception."""
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"{getattr(f, '__name__', f)} did not raise {exception_type.__name__}")


def has_tvm_ops():
    """Are there operators made by TVM? No."""
    return False


def is_op_runnable():
    """Can operators made by TVM run, where there are some?"""
    return True


def is_cd_run():
    """Is this MXNet's release machine?"""
    return os.environ.get("CD_JOB") == "1"


def is_aarch64_run():
    """Is this MXNet's machine for ARM?"""
    return os.environ.get("IS_AARCH64_RUN") == "1"

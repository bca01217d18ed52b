"""The errors that every layer raises.

    MXNetError                          any error raised on purpose
    ├── ShapeError                      shapes that do not match (also a ValueError)
    ├── DTypeError                      element types that do not match, or are unknown
    ├── ContextError                    arrays on two devices, or a missing device (also a ValueError)
    ├── OpAttributeError                an operator's attribute: unknown, missing or of the wrong type
    ├── ArgumentError                   an invalid value of an argument (also a ValueError)
    │   └── CheckError                  the same where MXNet has an assertion (also an AssertionError)
    ├── CallError                       arguments that a function does not accept (also a TypeError)
    ├── OutOfRangeError                 an index out of range; also an IndexError
    ├── NotFiniteError                  NaN or Inf, in debug mode (also an ArithmeticError)
    ├── NotImplementedForSymbol         something that only arrays support; also an AttributeError
    ├── FileFormatError                 a file with unexpected contents
    └── AutogradError                   `backward` on something that the tape cannot differentiate
        ├── NotRecordedError            computed outside `autograd.record()`
        ├── GraphFreedError             a second `backward` without `retain_graph=True`
        ├── WrittenInPlaceError         an array that the gradient needs was overwritten
        └── DetachedError               detached from its history by `detach()`

`MXNetError` is a `RuntimeError`, as in MXNet, so that programs that catch either keep working.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

__all__ = [
    "ArgumentError", "AutogradError", "CallError", "CheckError", "ContextError", "DTypeError", "DetachedError",
    "FileFormatError", "GraphFreedError", "MXNetError", "NotFiniteError", "NotRecordedError", "OpAttributeError",
    "ShapeError", "WrittenInPlaceError", "NotImplementedForSymbol", "NotSupportedForSparseNDArray", "data_dir",
    "integer_types", "listed", "mx_real_t", "nearest", "numeric_types", "py_str", "repeated", "string_types",
]

# Names that programs import from here to check arguments.
string_types: tuple[type[str]] = (str,)
integer_types = (int, np.integer)
numeric_types = (float, int, np.generic)
mx_real_t = np.float32


Self = TypeVar("Self", bound="MXNetError")


class MXNetError(RuntimeError):
    """The root of all errors that are raised on purpose.

    >>> try:
    ...     nd.ones((2, 3)) + nd.ones((4,))
    ... except mx.MXNetError as error:
    ...     print(type(error).__name__)
    ShapeError
    """

    details: Sequence[str] = ()         # additional lines, outermost last
    remedy: str | None = None           # a hint on what to write instead, shown as the last line

    def add(self: Self, line: str) -> Self:
        """Appends one line of context and returns the error, for `raise error.add(...)`.

        line: the line.

        >>> print(mx.MXNetError("the shapes differ").add("node relu0"))
        the shapes differ
          node relu0
        """
        self.details = [*self.details, line]
        return self

    def __str__(self) -> str:
        last = [] if self.remedy is None else [f"remedy: {self.remedy}"]
        return "\n  ".join([super().__str__(), *self.details, *last])


class ShapeError(MXNetError, ValueError):
    """Shapes that do not match.

    The shape rule that detects the mismatch knows the input, its shape and the required shape. Each of its callers adds
    what it knows: the operator's inputs, the node's name, the parameter and the block that owns it.

    problem: the message.
    argument: the input with the mismatch, if there is one.
    remedy: a hint on what to write instead, if there is one.

    >>> try:
    ...     nd.dot(nd.ones((2, 3)), nd.ones((4, 5)))
    ... except mx.base.ShapeError as error:
    ...     print(isinstance(error.add("node: 'product'"), mx.MXNetError))
    True
    """

    def __init__(self, problem: str, argument: str | None = None, remedy: str | None = None) -> None:
        super().__init__(problem)
        self.argument = argument            # name of the offending input, or None
        self.remedy = remedy
        self.variable: str | None = None    # in a graph: the name of the variable that is this input


class DTypeError(MXNetError, TypeError):
    """Element types that do not match, or are unknown.

    >>> try:
    ...     nd.ones((2,), dtype="float32x")
    ... except mx.base.DTypeError:
    ...     print("no such element type")
    no such element type
    """


class ContextError(MXNetError, ValueError):
    """Arrays on two devices, or a missing device.

    >>> try:
    ...     nd.ones((2,), ctx=mx.cpu(0)) + nd.ones((2,), ctx=mx.cpu(1))
    ... except mx.base.ContextError:
    ...     print("on two devices")
    on two devices
    """


class OpAttributeError(MXNetError, TypeError):
    """An operator's attribute that is unknown, missing or of the wrong type.

    >>> try:
    ...     nd.Activation(nd.ones((2,)), act_type="rellu")
    ... except mx.base.OpAttributeError as error:
    ...     print("'relu'" in str(error))
    True
    """


class ArgumentError(MXNetError, ValueError):
    """An invalid value of an argument: an unknown name, a number out of range.

    >>> try:
    ...     nn.LeakyReLU(-1)
    ... except mx.base.ArgumentError as error:
    ...     print(error)
    LeakyReLU: alpha is -1, expected a slope of at least 0
    """


class CheckError(ArgumentError, AssertionError):
    """An ArgumentError in a case where MXNet has an assertion whose error programs catch.

    >>> try:
    ...     gluon.Parameter("w", stype="dense")
    ... except mx.base.CheckError as error:
    ...     print(error)
    Parameter 'w': stype='dense' is no storage type, expected 'default', 'row_sparse' or 'csr'
    """


class CallError(MXNetError, TypeError):
    """Arguments that a function does not accept: an unknown keyword, too many arguments, an operand of another type.

    >>> try:
    ...     nn.Dense(2, bias=False)
    ... except mx.base.CallError as error:
    ...     print(type(error).__name__)
    CallError
    """


class OutOfRangeError(MXNetError, IndexError):
    """An index out of range."""


class NotFiniteError(MXNetError, ArithmeticError):
    """An operator has produced NaN or Inf in debug mode; see `mx.debug`.

    >>> with mx.debug():
    ...     try:
    ...         nd.ones((2,)) / nd.zeros((2,))
    ...     except mx.base.NotFiniteError as error:
    ...         print("produces inf from finite inputs" in str(error))
    True
    """


class NotImplementedForSymbol(MXNetError, AttributeError):
    """A feature that arrays support but symbols do not. MXNet programs catch it; `hasattr` is False.

    >>> try:
    ...     sym.var("x").asnumpy()
    ... except mx.base.NotImplementedForSymbol:
    ...     print("a symbol has no values")
    a symbol has no values
    """


class FileFormatError(MXNetError):
    """A file is truncated, damaged or in another format.

    >>> with open("x.params", "wb") as file:
    ...     size = file.write(b"something else")
    >>> try:
    ...     nd.load("x.params")
    ... except mx.base.FileFormatError:
    ...     print("no file of parameters")
    no file of parameters
    """


class NotSupportedForSparseNDArray(MXNetError):
    """A method that needs all elements in contiguous memory, which row_sparse and csr arrays do not have.

    >>> try:
    ...     nd.sparse.zeros("csr", (2, 2)).reshape((4,))
    ... except mx.base.NotSupportedForSparseNDArray:
    ...     print("make it dense first")
    make it dense first
    """


class AutogradError(MXNetError):
    """`backward` or `grad` was called on something that the tape cannot differentiate.

    >>> issubclass(mx.base.NotRecordedError, mx.base.AutogradError)
    True
    """


class NotRecordedError(AutogradError):
    """The array was not computed inside `autograd.record()` from a variable.

    >>> try:
    ...     nd.ones((2,)).backward()
    ... except mx.base.NotRecordedError:
    ...     print("not recorded")
    not recorded
    """


class GraphFreedError(AutogradError):
    """The graph behind the array was freed by an earlier `backward`.

    >>> x = nd.ones((2,))
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * x
    >>> y.backward()
    >>> try:
    ...     y.backward()
    ... except mx.base.GraphFreedError:
    ...     print("only once, without retain_graph=True")
    only once, without retain_graph=True
    """


class WrittenInPlaceError(AutogradError):
    """An array whose value the gradient needs was overwritten after it was recorded.

    >>> x = nd.ones((2,))
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * 2
    ...     z = y * y
    >>> y[:] = 5
    >>> try:
    ...     z.backward()
    ... except mx.base.WrittenInPlaceError:
    ...     print("y is not what it was")
    y is not what it was
    """


class DetachedError(AutogradError):
    """The array was detached from its history by `detach()`.

    >>> x = nd.ones((2,))
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = (2 * x).detach()
    >>> try:
    ...     y.backward()
    ... except mx.base.DetachedError:
    ...     print("detached")
    detached
    """


def nearest(name: object, candidates: Iterable[str], count: int = 3) -> str:
    """Returns ' Did you mean 'a', 'b'?' for the candidates closest in spelling, or '' if none is close.

    Names with a leading underscore come from programs, not people, so they skip the search, which takes a millisecond
    for all operators.

    name: the misspelled name.
    count: the maximum number of suggestions.

    >>> mx.base.nearest("Covolution", ["Convolution", "Pooling"])
    " Did you mean 'Convolution'?"
    """
    if str(name).startswith("_"):
        return ""
    import difflib  # imported when the first error occurs, not with the package
    close = difflib.get_close_matches(str(name), list(candidates), n=count)
    return " Did you mean " + ", ".join(repr(c) for c in close) + "?" if close else ""


def listed(names: Iterable[object], limit: int = 12, none: str = "none") -> str:
    """Returns 'a, b, c' for messages; if there are many names, only the first few, followed by 'and 8 more'.

    names: the items.
    limit: the maximum number of listed items.
    none: the text for no items.

    >>> mx.base.listed(["a", "b", "c", "d"], limit=2)
    'a, b and 2 more'
    """
    names = list(names)
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(map(str, names[:limit])) + more or none


def repeated(names: Iterable[str]) -> str | None:
    """Returns the first of the names that occurs a second time, or None.

    >>> mx.base.repeated(["a", "b", "a"])
    'a'
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def data_dir() -> str:
    """Returns the folder for MXNet's data sets and models: $MXNET_HOME, by default ~/.mxnet.

    >>> import os
    >>> mx.base.data_dir() == os.environ.get("MXNET_HOME", os.path.expanduser("~/.mxnet"))
    True
    """
    home = os.environ.get("MXNET_HOME")
    if not home:
        home = os.path.join(os.environ.get("APPDATA", "~"), "mxnet") if os.name == "nt" else "~/.mxnet"
    return os.path.expanduser(home)


def py_str(text: str | bytes) -> str:
    """Decodes `text` if it is bytes; returns a string unchanged. Callbacks receive strings here, but bytes in MXNet.

    >>> mx.base.py_str(b"dense0_output")
    'dense0_output'
    """
    return text if isinstance(text, str) else text.decode("utf-8")

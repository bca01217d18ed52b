"""The errors that every floor raises.

    MXNetError                          anything that this package refuses to do
    ├── ShapeError                      shapes that do not fit together (also a ValueError)
    ├── DTypeError                      element types that do not fit together, or are unknown
    ├── ContextError                    arrays on two devices, or a device that is not there (also a ValueError)
    ├── OpAttributeError                an operator's attribute: unknown, missing or of the wrong kind
    ├── ArgumentError                   a value that has no meaning where it was given (also a ValueError)
    │   └── CheckError                  the same where MXNet has an assertion (also an AssertionError)
    ├── CallError                       arguments that a function does not take (also a TypeError)
    ├── OutOfRangeError                 an index beyond the elements that there are; also an IndexError
    ├── NotFiniteError                  NaN or Inf, in debug mode (also an ArithmeticError)
    ├── NotImplementedForSymbol         something that only arrays can; also an AttributeError
    ├── FileFormatError                 a file that is not what its reader expects
    └── AutogradError                   `backward` asked for what the tape cannot give
        ├── NotRecordedError            computed outside `autograd.record()`
        ├── GraphFreedError             a second `backward` without `retain_graph=True`
        ├── WrittenInPlaceError         an array that the gradient needs was overwritten
        └── DetachedError               cut off from its history by `detach()`

`MXNetError` is a `RuntimeError`, as in MXNet, so that programs which catch either keep working.
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

# What programs import from here to check arguments.
string_types: tuple[type[str]] = (str,)
integer_types = (int, np.integer)
numeric_types = (float, int, np.generic)
mx_real_t = np.float32


Self = TypeVar("Self", bound="MXNetError")


class MXNetError(RuntimeError):
    """Root of all errors raised on purpose.

    >>> try:
    ...     nd.ones((2, 3)) + nd.ones((4,))
    ... except mx.MXNetError as error:
    ...     print(type(error).__name__)
    ShapeError
    """

    details: Sequence[str] = ()         # further lines, outermost last
    remedy: str | None = None           # what to write instead: the last line

    def add(self: Self, line: str) -> Self:
        """Append one line of context and return the error, for `raise error.add(...)`.

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
    """Shapes that do not fit together.

    The shape rule that finds the clash knows the input, what it has and what is required. Who calls the rule adds
    what it knows in turn: the operator's inputs, the node's name, the parameter and the block that owns it.

    problem: the message.
    argument: the input that it is about, if it is one.
    remedy: what to write instead, if there is one.

    >>> try:
    ...     nd.dot(nd.ones((2, 3)), nd.ones((4, 5)))
    ... except mx.base.ShapeError as error:
    ...     print(isinstance(error.add("node: 'product'"), mx.MXNetError))
    True
    """

    def __init__(self, problem: str, argument: str | None = None, remedy: str | None = None) -> None:
        super().__init__(problem)
        self.argument = argument            # name of the input at fault, or None
        self.remedy = remedy
        self.variable: str | None = None    # in a graph: the name of the variable that is this input


class DTypeError(MXNetError, TypeError):
    """Element types that do not fit together, or are unknown.

    >>> try:
    ...     nd.ones((2,), dtype="float32x")
    ... except mx.base.DTypeError:
    ...     print("no such element type")
    no such element type
    """


class ContextError(MXNetError, ValueError):
    """Arrays on two devices, or a device that is not there.

    >>> try:
    ...     nd.ones((2,), ctx=mx.cpu(0)) + nd.ones((2,), ctx=mx.cpu(1))
    ... except mx.base.ContextError:
    ...     print("on two devices")
    on two devices
    """


class OpAttributeError(MXNetError, TypeError):
    """An operator's attribute is unknown, missing or of the wrong kind.

    >>> try:
    ...     nd.Activation(nd.ones((2,)), act_type="rellu")
    ... except mx.base.OpAttributeError as error:
    ...     print("'relu'" in str(error))
    True
    """


class ArgumentError(MXNetError, ValueError):
    """A value that has no meaning where it was given: an unknown name, a number out of range.

    >>> try:
    ...     nn.LeakyReLU(-1)
    ... except mx.base.ArgumentError as error:
    ...     print(error)
    LeakyReLU: alpha is -1, expected a slope of at least 0
    """


class CheckError(ArgumentError, AssertionError):
    """The same where MXNet has an assertion, and programs catch that.

    >>> try:
    ...     gluon.Parameter("w", stype="dense")
    ... except mx.base.CheckError as error:
    ...     print(error)
    Parameter 'w': stype='dense' is no storage type, expected 'default', 'row_sparse' or 'csr'
    """


class CallError(MXNetError, TypeError):
    """Arguments that a function does not take: an unknown keyword, too many of them, an operand of another kind.

    >>> try:
    ...     nn.Dense(2, bias=False)
    ... except mx.base.CallError as error:
    ...     print(type(error).__name__)
    CallError
    """


class OutOfRangeError(MXNetError, IndexError):
    """An index beyond the elements that there are."""


class NotFiniteError(MXNetError, ArithmeticError):
    """In debug mode, an operator has made NaN or Inf; see `mx.debug`.

    >>> with mx.debug():
    ...     try:
    ...         nd.ones((2,)) / nd.zeros((2,))
    ...     except mx.base.NotFiniteError as error:
    ...         print("produces inf from finite inputs" in str(error))
    True
    """


class NotImplementedForSymbol(MXNetError, AttributeError):
    """Something that arrays can and symbols cannot. Programs for MXNet catch it; for `hasattr` it is not there.

    >>> try:
    ...     sym.var("x").asnumpy()
    ... except mx.base.NotImplementedForSymbol:
    ...     print("a symbol has no values")
    a symbol has no values
    """


class FileFormatError(MXNetError):
    """A file is truncated, damaged or of another format.

    >>> with open("x.params", "wb") as file:
    ...     size = file.write(b"something else")
    >>> try:
    ...     nd.load("x.params")
    ... except mx.base.FileFormatError:
    ...     print("no file of parameters")
    no file of parameters
    """


class NotSupportedForSparseNDArray(MXNetError):
    """A method that needs all elements in one piece of memory, which an array in row_sparse or csr has not.

    >>> try:
    ...     nd.sparse.zeros("csr", (2, 2)).reshape((4,))
    ... except mx.base.NotSupportedForSparseNDArray:
    ...     print("make it dense first")
    make it dense first
    """


class AutogradError(MXNetError):
    """`backward` or `grad` asked for something that the tape cannot give.

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
    """The array was cut off from its history by `detach()`.

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
    """' Did you mean 'a', 'b'?' for the candidates closest in spelling, or '' when nothing is close.

    Names with an underscore in front are those that programs ask for, not people: for them nothing is looked for, which
    takes a millisecond among all operators.

    name: what was found.
    count: how many candidates are named at most.

    >>> mx.base.nearest("Covolution", ["Convolution", "Pooling"])
    " Did you mean 'Convolution'?"
    """
    if str(name).startswith("_"):
        return ""
    import difflib  # at the first mistake, not with each import of the package
    close = difflib.get_close_matches(str(name), list(candidates), n=count)
    return " Did you mean " + ", ".join(repr(c) for c in close) + "?" if close else ""


def listed(names: Iterable[object], limit: int = 12, none: str = "none") -> str:
    """'a, b, c' for messages, with 'and 8 more' after the first ones of many.

    names: what is listed.
    limit: how many are, of more.
    none: the text where there are none.

    >>> mx.base.listed(["a", "b", "c", "d"], limit=2)
    'a, b and 2 more'
    """
    names = list(names)
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(map(str, names[:limit])) + more or none


def repeated(names: Iterable[str]) -> str | None:
    """The first of the names that occurs a second time, or None.

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
    """Where MXNet keeps data sets and models: $MXNET_HOME, by default ~/.mxnet.

    >>> import os
    >>> mx.base.data_dir() == os.environ.get("MXNET_HOME", os.path.expanduser("~/.mxnet"))
    True
    """
    home = os.environ.get("MXNET_HOME")
    if not home:
        home = os.path.join(os.environ.get("APPDATA", "~"), "mxnet") if os.name == "nt" else "~/.mxnet"
    return os.path.expanduser(home)


def py_str(text: str | bytes) -> str:
    """Bytes as a text; a text as it is, since callbacks get names as texts here and as bytes in MXNet.

    >>> mx.base.py_str(b"dense0_output")
    'dense0_output'
    """
    return text if isinstance(text, str) else text.decode("utf-8")

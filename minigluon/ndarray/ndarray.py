"""NDArray: a buffer on a device, with a position on the tape.

Methods that compute are in separate files and are added with the decorator `method`: `operators` (+, -, ...),
`copying`, `shape_methods`, `indexing`, `exports`, `variables`, `replaced_memory`. `invoke` runs an operator on arrays.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeVar

from .. import tape
from ..backend import backend_for
from ..context import Context, parse
from ..diagnostics.suggestions import SuggestsArrayNames
from ..frontend.operators import Operators
from ..providers import ask

__all__ = ["LENDING", "WRITES", "NDArray", "method", "next_write"]

Member = TypeVar("Member", bound=Callable[..., Any] | property)

LENDING = SimpleNamespace(has_begun=False)      # whether any array has exported memory to another library
# A unique value for the last write to any array: if it is unchanged, no array has been written to. A counter would not
# be sufficient, because two threads may increment it simultaneously.
WRITES = SimpleNamespace(last=0)
next_write = itertools.count(1).__next__

MAX_STAND_INS = 4096        # per device (see `_stand_in`)


class NDArray(Operators, SuggestsArrayNames):
    """An n-dimensional array on a device. As in MXNet, float32 is the default, and comparisons return 0 and 1.

    `nd.array` and similar functions create arrays. Operators in `nd` are also methods: `x.sum()` is `nd.sum(x)`.

    data: the backend's memory, which becomes `buffer`.
    ctx: the Context to which the memory belongs.

    >>> x = nd.array([[1, 2], [3, 4]])
    >>> isinstance(x, nd.NDArray)
    True
    >>> print((x + 10).asnumpy(), (x > 2).asnumpy(), x[1].asnumpy(), x.sum().asscalar())
    [[11. 12.]
     [13. 14.]] [[0. 0.]
     [1. 1.]] [3. 4.] 10.0

    `buffer` is the backend's memory, a NumPy array on the CPU, and `device` its Context. Code that writes to the
    buffer calls `_count_write`. `entry` and `output_index` are the array's position on the tape. A view shares memory
    with `_base`, which counts the writes. `_sharers`: the views of this array, if its memory may be replaced.
    `_is_lent`: whether other libraries may also write to the memory of this array, which is not a view.
    """

    # The class provides default values, so that creating an array sets only two attributes.
    entry: Any = None
    output_index = 0
    _base: NDArray | None = None
    _writes = 0
    _sharers: Any = None
    _is_detached = False
    _is_lent = False

    def __init__(self, data: Any, ctx: Context) -> None:
        self.buffer = data
        self.device = ctx

    # -- properties ---------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes.

        >>> nd.zeros((2, 3)).shape
        (2, 3)
        """
        return self.buffer.shape

    @property
    def dtype(self) -> Any:
        """The element type, as a NumPy class.

        >>> nd.zeros(2).dtype is np.float32
        True
        """
        return self.buffer.dtype.type

    @property
    def context(self) -> Context:
        """The device that the array is on; `ctx` for short.

        >>> nd.zeros(2).context
        cpu(0)
        """
        return self.device

    ctx = context

    @property
    def stype(self) -> str:
        """The storage type: 'default' for dense arrays, 'row_sparse' or 'csr' for the arrays in `nd.sparse`.

        >>> nd.zeros(2).stype, nd.zeros((2, 2), stype="csr").stype
        ('default', 'csr')
        """
        return "default"

    @property
    def _version(self) -> int:
        """The number of writes to the memory, through this array or any view of it."""
        root = self
        while root._base is not None:       # `root` inlined: the tape reads it twice for every array that it keeps
            root = root._base
        return root._writes

    # -- memory -------------------------------------------------------------------------------------------------

    def _view(self, data: Any) -> NDArray:
        """Return an array that shares part of this memory. For internal use: `data` must be part of `buffer`."""
        view = NDArray(data, self.device)
        root = self
        while root._base is not None:       # `root` inlined
            root = root._base
        view._base = root
        if self._sharers is not None:
            view._sharers = self._sharers
            self._sharers[id(self)], self._sharers[id(view)] = self, view
        return view

    def _twin(self) -> NDArray:
        """Return an array on the same memory, but not on the tape, for the tape to keep. Writes to both are counted."""
        twin = NDArray(self.buffer, self.device)
        if self._base is None:
            self._base = twin
            twin._writes = self._writes
        else:
            twin._base = self._root()
        return twin

    def _root(self) -> NDArray:
        """Return the array that counts the writes to this memory."""
        root = self
        while root._base is not None:       # another thread may have added a twin
            root = root._base
        return root

    def _overwrite(self, data: Any) -> None:
        """Replace all elements with those of the buffer `data`. Unlike x[:] = ..., this does not check the tape."""
        self.buffer[...] = data
        self._count_write()

    def _count_write(self) -> None:
        """Count a write to this memory, for the tape. All code that writes to the buffer must call this."""
        root = self
        while root._base is not None:       # `root` inlined
            root = root._base
        root._writes += 1
        WRITES.last = next_write()

    # -- the tape -----------------------------------------------------------------------------------------------

    def backward(self, out_grad: NDArray | None = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        """Differentiate the sum of this array's elements, weighted by `out_grad`, with respect to all variables.

        out_grad: weights for the elements, an array of the same shape; None means ones.
        retain_graph: whether to keep the graph for another `backward`.
        train_mode: whether to compute the gradients in training mode instead of prediction mode.

        >>> x = nd.array([1, 2])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = x * x
        >>> y.backward(nd.array([1, 10]))
        >>> print(x.grad.asnumpy())
        [ 2. 40.]
        """
        tape.backward(ask("nd"), [self], None if out_grad is None else [out_grad], retain_graph, train_mode)

    def __reduce__(self) -> tuple[Any, ...]:
        array: Any = self           # `asnumpy` is in exports.py
        return _unpickle, (array.asnumpy(), str(self.device))


def _unpickle(array: Any, ctx: Any) -> NDArray:
    ctx = parse(ctx)
    return NDArray(backend_for(ctx).from_numpy(array, ctx), ctx)


def _stand_in(spec: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
    """Return an array with a shape, dtype and device but no elements, for an input whose elements have been freed."""
    shape, dtype, ctx = spec
    stand_in = ctx.stand_ins.get(spec)
    if stand_in is None:
        if len(ctx.stand_ins) >= MAX_STAND_INS:
            ctx.stand_ins.clear()
        stand_in = ctx.stand_ins[spec] = NDArray(backend_for(ctx).view(None, 0, shape, dtype), ctx)
    return stand_in


def method(function: Member) -> Member:
    """Decorator for a method or property of NDArray that is defined in another file."""
    inner: Any = getattr(function, "fget", function)
    inner.__qualname__ = f"NDArray.{inner.__name__}"
    setattr(NDArray, inner.__name__, function)
    return function

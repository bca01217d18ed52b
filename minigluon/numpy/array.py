"""`mx.np.ndarray`, an NDArray with NumPy's interface, and its views: two arrays on the same memory and tape entry.

The engine computes only with NDArrays. A row of the table receives an NDArray for each of its arguments, and its result
is viewed as an array of `mx.np`. An operator that runs directly on arrays of `mx.np` returns an array of their class.
Therefore nothing below this package depends on `mx.np`, and the tape, plans, optimizers and files are the same for
both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as onp

from .. import tape
from ..backend import backend_for
from ..base import CallError
from ..context import Context, parse
from ..ndarray import register
from ..ndarray.ndarray import NDArray
from ..ops import REGISTRY
from ..ops.op import Op

__all__ = ["adopt", "nd_view", "ndarray", "np_view", "own_array", "refuse_mixture", "run_operator",
           "to_np"]

_state, _COPY = tape.state, REGISTRY["_copy"]()
_new: Any = object.__new__


class ndarray(NDArray):
    """An n-dimensional array of `mx.np`: NumPy's shapes, types, indexing and text form, with a device and a gradient.

    `np.array` and similar functions create arrays. The methods are those of NumPy, computed by the functions of
    `mx.np`.

    data: the backend's memory, which becomes `buffer`.
    ctx: the Context to which the memory belongs.

    >>> from minigluon import np
    >>> x = np.array([[1, 2], [3, 4]])
    >>> x.sum(), x > 2, x[0, 1].shape
    (array(10.), array([[False, False],
           [ True,  True]]), ())
    >>> x.diagonal(), x.trace(), x.itemsize, x.nbytes, isinstance(x, np.ndarray)
    (array([1., 4.]), array(5.), 4, 16, True)
    """

    _origin: NDArray | None = None      # the NDArray that this array is a view of
    result_class: Any

    # -- views --------------------------------------------------------------------------------------------------

    def as_nd_ndarray(self) -> NDArray:
        """Return an NDArray on the same memory, with the same position on the tape.

        >>> from minigluon import np
        >>> x = np.zeros(2)
        >>> x.as_nd_ndarray()[0] = 5
        >>> x
        array([5., 0.])
        """
        origin = self._origin
        if origin is not None and origin.entry is self.entry:
            return origin
        array = NDArray(self.buffer, self.device)
        array._base = self._root()
        array.entry, array.output_index = self.entry, self.output_index
        array._is_detached = self._is_detached
        return array

    def as_np_ndarray(self) -> ndarray:
        """Return the array itself.

        >>> from minigluon import np
        >>> x = np.zeros(2)
        >>> x.as_np_ndarray() is x
        True
        """
        return self

    def _run(self, op: Op, inputs: Sequence[Any], out: Any = None, hidden: bool = False) -> Any:
        """Run an operator on arrays of this class; the functions of `nd` call it, so that layers accept such arrays."""
        for x in inputs:
            if x.__class__ is not ndarray:
                raise refuse_mixture(op.name, x)
        if out is None:
            return register.invoke(op, inputs, None, hidden, ndarray)
        register.invoke(op, [nd_view(x) for x in inputs], self._plain_targets(op, out))
        return out

    def _calls(self, call: Any, cls: Any, memo: Any, args: Any, kwargs: Any, out: Any) -> Any:
        """Call a function of `nd`, which uses this hook for arrays of other classes. call: handles NDArrays."""
        if out is None and all(x.__class__ is ndarray for x in args):
            try:
                op = memo.get((len(args), *kwargs, *kwargs.values()))
            except TypeError:               # an attribute is a list
                op = None
            if op:
                return register.invoke(op, args, None, False, ndarray)
        plain = tuple([self._nd_view(cls, x) for x in args])
        named = {key: self._nd_view(cls, x) for key, x in kwargs.items()}
        if out is None:
            return adopt(call(cls, memo, plain, named, None))
        call(cls, memo, plain, named, self._plain_targets(cls, out))
        return out

    @staticmethod
    def _nd_view(cls, x):
        if x.__class__ is ndarray:
            return x.as_nd_ndarray()
        if isinstance(x, NDArray):
            raise refuse_mixture(cls.name, x)
        return x

    def _plain_targets(self, op, out):
        if isinstance(out, (list, tuple)):
            return [self._plain_targets(op, y) for y in out]
        if out.__class__ is not ndarray:
            raise refuse_mixture(op.name, out)
        return out.as_nd_ndarray()

    # -- what NDArray's methods would compute in its manner -----------------------------------------------------

    @property
    def dtype(self) -> onp.dtype[Any]:
        """The element type, as a NumPy dtype.

        >>> from minigluon import np
        >>> np.zeros(2).dtype
        dtype('float32')
        """
        dtype = self.buffer.dtype
        return dtype if dtype.isnative else onp.dtype(dtype.type)       # files may use another byte order

    @property
    def grad(self) -> Any:
        """The gradient stored by the last `backward`, or None without `attach_grad`."""
        gradient = getattr(self.entry, "grad", None)
        return None if gradient is None else gradient.as_np_ndarray()

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Make this array a variable: `backward` will store its gradient in `.grad`.

        grad_req: 'write' replaces the gradient, 'add' adds to it, 'null' ignores it.
        stype: must be None or 'default', because gradients are dense.

        Raises CallError for another storage type.

        >>> from minigluon import np
        >>> x = np.array(3)
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = x * x
        >>> y.backward()
        >>> x.grad
        array(6.)
        """
        if stype not in (None, "default"):
            raise CallError(f"attach_grad: an array of mx.np has a dense gradient, found stype={stype!r}. Use "
                            "x.as_nd_ndarray().attach_grad(stype=...).")
        plain = NDArray(self.buffer, self.device)
        plain.attach_grad(grad_req)
        self.entry, self.output_index = plain.entry, plain.output_index

    def backward(self, out_grad: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        """Differentiate the sum of this array's elements, weighted by `out_grad`, with respect to all its variables.

        out_grad: weights for the elements, an array of the same shape; None means ones.
        retain_graph: True keeps the graph for another `backward`.
        train_mode: True for the gradients in training mode, False for prediction mode.
        """
        self.as_nd_ndarray().backward(None if out_grad is None else nd_view(out_grad), retain_graph, train_mode)

    def copyto(self, other: Any) -> Any:
        """Copy to another array of `mx.np`, or to a Context as a new array. Returns the copy.

        other: an array of the same shape, or the device.

        Raises CallError for an NDArray, and ShapeError for a different shape.

        >>> from minigluon import np
        >>> np.ones(2).copyto(mx.cpu(1)).ctx
        cpu(1)
        """
        if isinstance(other, NDArray) and other.__class__ is not ndarray:
            raise refuse_mixture("copyto", other)
        target = other.as_nd_ndarray() if isinstance(other, ndarray) else other
        result = self.as_nd_ndarray().copyto(target)
        return other if isinstance(other, ndarray) else adopt(result)

    def _to_context(self, ctx: Any) -> Any:
        return adopt(self.as_nd_ndarray()._to_context(ctx))

    def copy(self, order: str = "C") -> Any:
        """Return a copy on the same device.

        order: must be 'C'.

        >>> from minigluon import np
        >>> np.ones(2).copy()
        array([1., 1.])
        """
        if order != "C":
            raise CallError(f"copy: order must be 'C', found {order!r}")
        return run_operator(_COPY, (self,))

    def tostype(self, stype: str) -> Any:
        """Return the array itself, because arrays of `mx.np` are dense.

        stype: must be 'default'.
        """
        if stype != "default":
            raise CallError(f"tostype: an array of mx.np is dense, found {stype!r}. Write "
                            "x.as_nd_ndarray().tostype(...).")
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.asnumpy(), str(self.device))

    __hash__ = NDArray.__hash__
    __module__ = "minigluon.numpy"


def own_array(created: NDArray) -> Any:
    """Return a new NDArray that is not on the tape as an array of `mx.np`."""
    own = _new(ndarray)                 # `__init__` inlined
    own.buffer, own.device = created.buffer, created.device
    return own


def adopt(result: Any) -> Any:
    """Return new results of functions of `nd`, also in lists, as arrays of `mx.np`.

    Its class is not changed, because such an object gets a separate dict, which slows down each later access.
    """
    if result.__class__ is NDArray:
        own = own_array(result)
        if result.entry is not None or result._base is not None:
            own.entry, own.output_index, own._base = result.entry, result.output_index, result._root()
        return own
    if result.__class__ is list or result.__class__ is tuple:
        return type(result)(map(adopt, result))
    return result


def run_operator(op: Op, inputs: Sequence[Any]) -> Any:
    """Return the result of an operator on arrays of `mx.np`; where a backend has a kernel, without `invoke`.

    op: an operator with one result.
    """
    site = inputs[0].device.kernels.get(op)
    if site is not None:
        result = site(inputs)
        if result is not None:
            if _state.recording:
                tape.record_op(op, inputs, (result,))
            return result
    return register.invoke(op, inputs, None, False, ndarray)


def to_np(value: Any) -> Any:
    """Return arrays or symbols of the engine, in nested lists and dicts, as arrays or symbols of `mx.np`."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(to_np, value))
    if isinstance(value, dict):
        return {key: to_np(part) for key, part in value.items()}
    return value.as_np_ndarray() if hasattr(value, "as_np_ndarray") else value


ndarray._to_own_class = ndarray._to_np = staticmethod(to_np)
ndarray.result_class = ndarray          # a backend's fast path creates results of this class


# Python 3.11 stores the attributes of an object compactly only if one of the first objects of its class had them too.
_first = ndarray(None, Context("cpu"))
for _name in ("entry", "output_index", "_base", "_writes", "_is_detached", "_is_lent", "_origin", "_sharers"):
    setattr(_first, _name, getattr(_first, _name))


def _part(array: Any, data: Any) -> Any:
    """Return an array of `mx.np` that shares part of an array's memory. See `NDArray._view`."""
    if array._sharers is not None:
        view: Any = NDArray._view(array, data)
        view.__class__ = ndarray
        return view
    view = ndarray(data, array.device)
    while array._base is not None:      # `_root` inlined
        array = array._base
    view._base = array
    return view


ndarray._view = _part


def np_view(array: NDArray) -> ndarray:
    """Return a view of an NDArray as an array of `mx.np`, with the same memory and the same tape entry.

    Raises CallError for a sparse array.
    """
    if array.__class__ is not NDArray:
        raise CallError(f"as_np_ndarray: arrays of mx.np are dense, found {type(array).__name__}. Write "
                        "x.tostype('default').as_np_ndarray().")
    view = _part(array, array.buffer)
    view._origin = array
    view.entry, view.output_index, view._is_detached = array.entry, array.output_index, array._is_detached
    return view


def nd_view(array: Any) -> NDArray:
    """Return an array of `mx.np` as an NDArray, without a copy. Raises CallError for all other objects."""
    if array.__class__ is not ndarray:
        raise refuse_mixture("mx.np", array)
    return array.as_nd_ndarray()


def refuse_mixture(name: str, found: Any) -> CallError:
    """Return the error for an argument of a function that is not an array of `mx.np`.

    name: the function's name, for the message.
    """
    remedy = "Convert it with x.as_np_ndarray(), which shares its memory, or the others with x.as_nd_ndarray()." \
        if isinstance(found, NDArray) else "Convert it with np.array(...)."
    return CallError(f"{name}: expected arrays of mx.np, found {type(found).__name__}. {remedy}")


def _unpickle(array: Any, ctx: str) -> ndarray:
    device: Context = parse(ctx)
    return ndarray(backend_for(device).from_numpy(array, device), device)

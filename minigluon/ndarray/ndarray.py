"""NDArray: a buffer on a device, with a place on the tape. And `invoke`, which runs an operator on arrays."""

from __future__ import annotations

import functools
import itertools
import math
import numbers
import weakref
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from .. import tape
from ..backend import backend_for
from ..base import ArgumentError, CallError, ContextError, MXNetError, ShapeError
from ..common.dtypes import as_dtype
from ..common.types import DType, Number, Shape
from ..context import Context
from ..diagnostics.strictness import refuse
from ..diagnostics.suggestions import ArrayHabits, Size
from ..dispatch import describe, find_kernel, find_writer
from ..frontend.arithmetic import ARITHMETIC
from ..frontend.operators import Operators, as_number
from ..ops import REGISTRY
from ..ops.op import Op
from ..providers import ask

__all__ = ["NDArray", "count_writes", "invoke", "overwriter"]

_state = tape.state
_WRITE_WHILE_RECORDING = (
    "writing in place (+=, x[:]=, out=) to an array that is part of the recorded graph is not supported inside "
    "autograd.record(). Write x = x + y instead of x += y.")
_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _MODULO = [ARITHMETIC[name] for name in (
    "add", "subtract", "multiply", "divide", "modulo")]
_NUMBERS = {int, float}         # the common ones; asking `numbers.Real` takes longer than NumPy's addition
_SMALL = 2 ** 12        # elements: up to here, copying the result costs less than checking whether `out` can be written
_NUMPY_EXPORTS_VERSIONS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


def invoke_plainly(op, inputs, out=None, hidden=False):
    """What `invoke` does, without what makes it fast. Tests compare the two; read this one first."""
    ctx, handles = inputs[0].device, [x.buffer for x in inputs]
    if any(x.device is not ctx for x in inputs):
        inputs = _on_one_device(op, inputs)
        handles = [x.buffer for x in inputs]
    key = (op, op.takes_train and _state.training, *[(h.shape, h.dtype) for h in handles])
    kernel = ctx.kernels.get(key) or find_kernel(op, ctx, handles, key, _state.training)
    return _finish(op, inputs, kernel(handles), out, ctx, hidden)


def invoke(op: Op, inputs: Sequence[NDArray], out: NDArray | Sequence[NDArray] | None = None,
           hidden: bool = False) -> Any:
    """Run `op` on arrays now, and record it when `autograd.record()` is on.

    inputs: NDArrays on one device. out: an NDArray, or a list of them, to write the results to.
    hidden: return those outputs, too, that programs do not see, such as the mask of Dropout.
    Returns an NDArray, or a list when the operator has several such outputs.
    Raises ShapeError, DTypeError, ContextError.

    It is `invoke_plainly`, which takes 2,300 ns for the sum of two arrays of 128 elements on NumPy, in 1,350 ns, and in
    700 ns with compiled kernels, where the plain one takes 2,100. What each difference saves there:

        the backend's own way to the kernel (`site`)        400 ns, with compiled kernels
        devices and key written out for 1 to 3 inputs       500 ns
        a single result that is returned at once            300 ns
        a small result copied to out= there (`site.into`)   1,600 ns of 2,500, for `x += y`
        out= that the operator itself writes to             a third of the time of relu on 512 x 512 elements, or more
    """
    ctx = inputs[0].device
    site = ctx.kernels.get(op)          # of a backend that has compiled what follows for its kernels
    if site is not None and (out is None or inputs[0].buffer.size <= _SMALL):
        output = site(inputs) if out is None or _state.recording else site.into(inputs, out)
        if output is not None:
            if output is out:
                return out
            if out is not None:
                return _finish(op, inputs, (output.buffer,), out, ctx, hidden)
            if _state.recording:
                tape.record_op(op, inputs, (output,))
            return output
    if len(inputs) == 1:
        a = inputs[0].buffer
        handles = (a,)
        key = (op, op.takes_train and _state.training, a.shape, a.dtype)
    elif len(inputs) == 2:
        if inputs[1].device is not ctx:
            inputs = _on_one_device(op, inputs)
        a, b = handles = inputs[0].buffer, inputs[1].buffer
        key = (op, op.takes_train and _state.training, a.shape, a.dtype, b.shape, b.dtype)
    elif len(inputs) == 3:
        if inputs[1].device is not ctx or inputs[2].device is not ctx:
            inputs = _on_one_device(op, inputs)
        a, b, c = handles = inputs[0].buffer, inputs[1].buffer, inputs[2].buffer
        key = (op, op.takes_train and _state.training, a.shape, a.dtype, b.shape, b.dtype, c.shape, c.dtype)
    else:
        handles = [x.buffer for x in inputs if x.device is ctx]
        a = handles[0]
        if len(handles) != len(inputs):
            inputs = _on_one_device(op, inputs)
            handles = [x.buffer for x in inputs]
        key = (op, op.takes_train and _state.training, *[(h.shape, h.dtype) for h in handles])
        if op.mutates and out is None and not op.differentiable and not _state.recording:
            outputs = _try_overwrite(op, inputs, handles, key)
            if outputs is not None:
                return outputs[0] if len(outputs) == 1 else outputs
    if out is not None and a.size > _SMALL and not _state.recording \
            and _try_write_into(op, inputs, handles, key, out):
        return out[0] if op.num_visible_outputs == 1 and isinstance(out, (list, tuple)) else out
    kernel = ctx.kernels.get(key) or find_kernel(op, ctx, handles, key, _state.training)
    results = kernel(handles)
    if op.num_outputs == 1 and out is None and not op.mutates:
        output = NDArray(results[0], ctx)
        if _state.recording:
            tape.record_op(op, inputs, (output,))
        return output
    return _finish(op, inputs, results, out, ctx, hidden)


def _finish(op, inputs, results, out, ctx, hidden):
    """The rest of `invoke` for several outputs, for `out=`, and for operators that overwrite inputs."""
    if op.mutates:
        results = _write_mutated(op, inputs, results)
    if out is None:
        outputs = [NDArray(handle, ctx) for handle in results]
    else:
        if _state.recording and "inputs" in op.keeps:
            _forbid_recorded_input_as_out(inputs, out)
        outputs = _write_out(op, results, out)
    if _state.recording:
        tape.record_op(op, inputs, outputs)
    returned = op.num_outputs if hidden else op.num_visible_outputs
    return outputs[0] if returned == 1 else outputs[:returned]


def _try_write_into(op, inputs, handles, key, out):
    """Let the operator write into `out` itself, so that no result is allocated and copied. False where it cannot."""
    ctx = inputs[0].device
    found = ctx.kernels.get((key, "out"))
    if found is None:
        found = find_writer(op, ctx, handles, (key, "out"))
    if not found:
        return False
    write, specs, may_be_output, mutated = found
    targets = out if isinstance(out, (list, tuple)) else (out,)
    if len(targets) != len(specs) or not all(h.flags.c_contiguous for h in handles):
        return False
    for target, (shape, dtype) in zip(targets, specs, strict=True):
        if target.__class__ is not NDArray or target.device is not ctx:
            return False
        buffer = target.buffer
        if buffer.shape != shape or buffer.dtype != dtype or not buffer.flags.c_contiguous:
            return False
        for x, allowed in zip(inputs, may_be_output, strict=True):
            if not allowed if x is target else x._root() is target._root():
                return False
    write(handles, [target.buffer for target in targets])
    for x in (*targets, *[inputs[i] for i in mutated]):
        x._count_write()
    return True


def _try_overwrite(op, inputs, handles, key):
    """Let the operator overwrite the inputs themselves, not copies; its outputs, or None where it cannot."""
    ctx = inputs[0].device
    found = ctx.kernels.get((key, "out"))
    if found is None:
        found = find_writer(op, ctx, handles, (key, "out"))
    if not found or not all(h.flags.c_contiguous for h in handles):
        return None
    write, specs, _, mutated = found
    roots = [id(x._root()) for x in inputs]
    if any(roots.count(roots[i]) > 1 for i in mutated):
        return None
    outputs = [backend_for(ctx).empty(shape, dtype, ctx) for shape, dtype in specs]
    write(handles, outputs)
    count_writes([inputs[i] for i in mutated])
    return [NDArray(output, ctx) for output in outputs]


def overwriter(op, inputs):
    """A function that runs an operator that overwrites inputs, in place, any number of times.

    None where that is impossible: an input is not contiguous, or one that is written shares its memory with another.
    The caller keeps the tape off, and asks again after `forget_kernels`.
    """
    ctx, handles = inputs[0].device, [x.buffer for x in inputs]
    key = (op, "overwrite", *[(h.shape, h.dtype) for h in handles])
    found = ctx.kernels.get(key)
    if found is None:
        found = find_writer(op, ctx, handles, key, takes_scratch=True)
    if not found or not all(h.flags.c_contiguous for h in handles):
        return None
    write, specs, _, mutated = found
    roots = [x if x._base is None else x._root() for x in inputs]
    written = {id(roots[i]) for i in mutated}
    if any(x.device is not ctx for x in inputs) or sum([id(root) in written for root in roots]) != len(mutated):
        return None

    outputs = [backend_for(ctx).empty(shape, dtype, ctx) for shape, dtype in specs]
    written = [inputs[i] for i in mutated]

    def run():
        write(handles, outputs)
        count_writes(written)
    return run


def count_writes(arrays):
    """Let the tape know that the memory of each array was written to."""
    for x in arrays:
        while x._base is not None:          # `root` written out; asked each time, as a twin may have come between
            x = x._base
        x._writes += 1
    WRITES.last = next_write()


def create(op, ctx):
    """Run an operator without inputs on a device."""
    key = (op,)
    kernel = ctx.kernels.get(key) or find_kernel(op, ctx, (), key, _state.training)
    results = kernel([])
    return NDArray(results[0], ctx) if len(results) == 1 else [NDArray(result, ctx) for result in results]


def _write_mutated(op, inputs, results):
    """Store the new values of the inputs that the operator overwrites, and return its outputs alone."""
    names = op.argument_names(len(inputs))
    for name, value in zip(op.mutates, results[op.num_outputs:], strict=True):
        if value is not None:
            inputs[names.index(name)]._overwrite(value)
    return results[:op.num_outputs]


def _write_out(op, results, out):
    """Store results in the arrays of `out=`; hidden results get arrays of their own."""
    targets = list(out) if isinstance(out, (list, tuple)) else [out]
    if len(targets) not in (op.num_visible_outputs, op.num_outputs):
        raise ArgumentError(f"{op.name}: out has {len(targets)} arrays, expected {op.num_visible_outputs}, one for "
                            "each result")
    for target, handle in zip(targets, results, strict=False):
        if not isinstance(target, NDArray):
            raise MXNetError(f"{op.name}: out must be an NDArray, found {type(target).__name__}")
        if target.shape != handle.shape:
            raise MXNetError(f"{op.name}: out has shape {target.shape}, but the result has shape {handle.shape}")
        target._forbid_write_on_tape()
    for target, handle in zip(targets, results, strict=False):
        target._overwrite(handle)
    return targets + [NDArray(handle, targets[0].device) for handle in results[len(targets):]]


def _forbid_recorded_input_as_out(inputs, out):
    """The tape would keep an input's new value where the gradient needs the old one."""
    if any(tape.is_recorded(x) for x in inputs):
        targets = out if isinstance(out, (list, tuple)) else [out]
        roots = {x._root() for x in inputs}
        if any(t._root() in roots for t in targets if isinstance(t, NDArray)):
            raise MXNetError(_WRITE_WHILE_RECORDING)


def _on_one_device(op, inputs):
    """ContextError; in a lenient run, the inputs copied to the first one's device if all of them are CPUs.

    As in MXNet, where CPUs share their memory and GPUs do not. What the operator overwrites is never a copy.
    """
    ctx, names = inputs[0].device, op.argument_names(len(inputs))
    clash = _context_clash(op, inputs)
    if any(not x.device.device_type.startswith("cpu") or x.device is not ctx and name in op.mutates
           for x, name in zip(inputs, names, strict=True)):
        raise clash
    refuse(clash)
    return [x.as_in_context(ctx) for x in inputs]


def _context_clash(op, inputs):
    names = op.argument_names(len(inputs))
    listed = ", ".join(f"{n} {x.shape} on {x.device}" for n, x in zip(names, inputs, strict=True))
    return ContextError(f"{op.name}: inputs are on different devices: {listed}. "
                        f"Move one with .as_in_context({inputs[0].device}).")


LENDING = SimpleNamespace(has_begun=False)      # of memory to other libraries, by any array
# The last write to any array, by a number of its own: whoever finds it unchanged need not ask the arrays. A number
# that each write increased would tell less: two threads may do so at once.
WRITES = SimpleNamespace(last=0)
next_write = itertools.count(1).__next__


class NDArray(Operators, ArrayHabits):
    """An n-dimensional array on a device. Its arithmetic is MXNet's: float32 by default, comparisons give 0 and 1.

    `nd.array` and its like make one. Operators of `nd` are methods, too: `x.sum()` is `nd.sum(x)`.

    data: the backend's memory, which becomes `buffer`.
    ctx: the Context to which that belongs.

    >>> x = nd.array([[1, 2], [3, 4]])
    >>> isinstance(x, nd.NDArray)
    True
    >>> print((x + 10).asnumpy(), (x > 2).asnumpy(), x[1].asnumpy(), x.sum().asscalar())
    [[11. 12.]
     [13. 14.]] [[0. 0.]
     [1. 1.]] [3. 4.] 10.0

    `buffer` is the backend's memory, a NumPy array on the CPU, and `device` its Context. Who writes to the buffer
    calls `_count_write`. `entry` and `output_index` are the array's place on the tape. A view shares its memory with
    `_base`, where writes are counted. `_sharers`: where the memory may be replaced, the views of it. `_is_lent`, of an
    array that is no view: other libraries may write to its memory, too.
    """

    # Defaults live on the class, so that making an array sets two attributes only.
    entry = None
    output_index = 0
    _base = None
    _writes = 0
    _sharers = None
    _is_detached = False
    _is_lent = False

    def __init__(self, data: Any, ctx: Context) -> None:
        self.buffer = data
        self.device = ctx

    # -- what it is ---------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes.

        >>> nd.zeros((2, 3)).shape
        (2, 3)
        """
        return self.buffer.shape

    @property
    def dtype(self) -> Any:
        """Element type, as NumPy's class.

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
    def size(self) -> int:
        """Number of elements.

        >>> nd.zeros((2, 3)).size
        6
        """
        return Size(math.prod(self.buffer.shape))

    @property
    def ndim(self) -> int:
        """Number of axes.

        >>> nd.zeros((2, 3)).ndim
        2
        """
        return len(self.buffer.shape)

    @property
    def writable(self) -> bool:
        """Always True: `backward` is what refuses an array that must not have changed.

        >>> nd.zeros(2).writable
        True
        """
        return True

    @property
    def stype(self) -> str:
        """Storage type: 'default', the dense one; 'row_sparse' and 'csr' are those of `nd.sparse`.

        >>> nd.zeros(2).stype, nd.zeros((2, 2), stype="csr").stype
        ('default', 'csr')
        """
        return "default"

    @property
    def T(self) -> NDArray:
        """The array with its axes reversed.

        >>> print(nd.array([[1, 2, 3]]).T.shape)
        (3, 1)
        """
        return self.transpose()

    @property
    def grad(self) -> NDArray:
        """The gradient that the last `backward` left here, or None without `attach_grad`.

        >>> x = nd.array([3])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = x * x
        >>> y.backward()
        >>> print(x.grad.asnumpy())
        [6.]
        """
        return self.entry.grad if isinstance(self.entry, tape.Variable) else None

    @property
    def _version(self) -> int:
        """How often the memory was written to, through this array or any view of it.

        >>> x = nd.zeros(2)
        >>> x[:1] = 5
        >>> x._version
        1
        """
        root = self
        while root._base is not None:       # `root` written out: the tape asks twice for every array that it keeps
            root = root._base
        return root._writes

    # -- the same memory in another shape ----------------------------------------------------------------------

    def reshape(self, *shape: Shape, **kwargs: Any) -> NDArray:
        """A view in another shape: writing to it writes here. Recorded as the operator `reshape`.

        shape: integers or a tuple, with the codes 0, -1, -2, -3, -4 of `nd.reshape`.
        kwargs: `shape` by name; reverse=True reads the codes from the right.

        Raises ShapeError.

        >>> x = nd.zeros((2, 3))
        >>> x.reshape((3, -1)).shape, x.reshape(-1).shape
        ((3, 2), (6,))
        """
        if len(shape) == 1 and not isinstance(shape[0], numbers.Integral):
            shape = shape[0]
        shape = kwargs.pop("shape", shape) if shape == () else shape
        reverse = kwargs.pop("reverse", False)
        if kwargs:
            raise TypeError(f"reshape takes shape and reverse, found {', '.join(kwargs)}")
        op = _reshape_op((shape,) if isinstance(shape, numbers.Integral) else tuple(shape), reverse)
        if not op.shape and self.size != 1:
            raise ShapeError("reshape: no shape was given", "shape")
        return self._reshaped(op)

    def _reshaped(self, op):
        try:
            new_shape = _output_shape(op, self.buffer.shape)
        except ShapeError as error:
            raise describe(error, op, [self.buffer]) from None
        view = self._view(self.buffer.reshape(new_shape))
        if _state.recording:
            tape.record_op(op, (self,), (view,))
        return view

    def expand_dims(self, axis: int, inplace: bool = False) -> NDArray:
        """A copy with an axis of length 1 before `axis`.

        inplace: True makes a view.

        >>> nd.zeros((2, 3)).expand_dims(axis=1).shape
        (2, 1, 3)
        """
        op = _operator("expand_dims", axis)
        return self._reshaped(op) if inplace else invoke(op, (self,))

    def squeeze(self, axis: Shape | None = None, inplace: bool = False) -> NDArray:
        """A copy without the axes of length 1, or without those in `axis`.

        inplace: True makes a view.

        >>> nd.zeros((1, 2, 1)).squeeze().shape, nd.zeros((1, 2, 1)).squeeze(axis=0).shape
        ((2,), (2, 1))
        """
        op = _operator("squeeze", tuple(axis) if isinstance(axis, list) else axis)
        return self._reshaped(op) if inplace else invoke(op, (self,))

    def flatten(self, inplace: bool = False) -> NDArray:
        """A copy of shape (N, the rest).

        inplace: True makes a view.

        >>> nd.zeros((2, 3, 4)).flatten().shape
        (2, 12)
        """
        op = _operator("Flatten")
        return self._reshaped(op) if inplace else invoke(op, (self,))

    def transpose(self, *axes: Shape, **kwargs: Any) -> NDArray:
        """A copy with the axes in another order: integers or a tuple; reversed without any. kwargs: `axes` by name.

        >>> x = nd.zeros((2, 3, 4))
        >>> x.transpose().shape, x.transpose(1, 0, 2).shape
        ((4, 3, 2), (3, 2, 4))
        """
        if len(axes) == 1 and not isinstance(axes[0], numbers.Integral):
            axes = axes[0]
        return ask("nd").transpose(self, axes=axes, **kwargs) if axes else ask("nd").transpose(self, **kwargs)

    def broadcast_to(self, shape: Shape) -> NDArray:
        """A copy in the shape `shape`: axes of length 1 are repeated, and new ones are added in front.

        >>> print(nd.array([1, 2]).broadcast_to((2, 2)).asnumpy())
        [[1. 2.]
         [1. 2.]]
        """
        shape = (shape,) if isinstance(shape, numbers.Integral) else tuple(shape)
        source = self
        if len(shape) > self.ndim:
            source = self.reshape((1,) * (len(shape) - self.ndim) + self.shape)
        return invoke(REGISTRY["broadcast_to"](shape=shape), (source,))

    # -- memory -------------------------------------------------------------------------------------------------

    def _view(self, data):
        """An array on part of this one's memory. The engine's own: `data` must be a part of `buffer`.

        >>> x = nd.zeros(3)
        >>> x._view(x.buffer[1:])[:] = 5             # x[1:] is made so
        >>> print(x.asnumpy())
        [0. 5. 5.]
        """
        view = NDArray(data, self.device)
        root = self
        while root._base is not None:       # `root` written out
            root = root._base
        view._base = root
        if self._sharers is not None:
            view._sharers = self._sharers
            self._sharers[id(self)], self._sharers[id(view)] = self, view
        return view

    def _fixed(self, buffer):
        """The array on memory that it had once, with its place on the tape: it stays there when that is replaced.

        >>> x = nd.array([1])
        >>> print(x._fixed(x.buffer).asnumpy())
        [1.]
        """
        fixed = NDArray(buffer, self.device)
        fixed._base = self._root()
        fixed.entry, fixed.output_index = self.entry, self.output_index
        return fixed

    def _twin(self):
        """The same memory without a place on the tape, for the tape to keep. Writes through either are counted.

        >>> x = nd.array([1])
        >>> x.attach_grad()
        >>> x._twin().buffer is x.buffer, x._twin().entry
        (True, None)
        """
        twin = NDArray(self.buffer, self.device)
        if self._base is None:
            self._base = twin
            twin._writes = self._writes
        else:
            twin._base = self._root()
        return twin

    def _root(self):
        """The array that counts the writes to this memory.

        >>> x = nd.zeros((2, 3))
        >>> x[1]._root() is x
        True
        """
        root = self
        while root._base is not None:       # a twin may have come between
            root = root._base
        return root

    def _prepare_to_replace(self):
        """Remember from now on which views there are, for `replace_memory`.

        >>> nd.zeros(2)._prepare_to_replace()
        """
        if self._sharers is None:
            self._sharers = weakref.WeakValueDictionary()

    def _replace_memory(self, buffer):
        """Take other memory of the same shape and dtype; needs `prepare_to_replace` before the first view is made.

        For an operator in another thread that is one step: it reads the old elements or the new ones. Views follow.

        >>> x = nd.zeros(2)
        >>> x._prepare_to_replace()
        >>> part = x[1:]
        >>> x._replace_memory(nd.array([3, 4]).buffer)
        >>> print(part.asnumpy())
        [4.]
        """
        old, self.buffer = self.buffer, buffer
        for reference in self._sharers.valuerefs():
            x = reference()
            if x is not None and x is not self:
                backend, part = backend_for(self.device), x.buffer
                x.buffer = buffer if part is old else backend.view(buffer, backend.offset(part, old), part.shape,
                                                                   part.dtype)
        self._count_write()

    def _overwrite(self, data):
        """Replace all elements by those of the buffer `data`, without a look at the tape. Programs write x[:] = ...

        >>> x = nd.zeros(2)
        >>> x._overwrite(nd.array([3, 4]).buffer)
        >>> print(x.asnumpy())
        [3. 4.]
        """
        self.buffer[...] = data
        self._count_write()

    def _count_write(self):
        """Count a write to this memory. Who writes to the buffer says so here: the tape compares the counts.

        >>> x = nd.zeros(2)
        >>> x._count_write()
        >>> x._version
        1
        """
        root = self
        while root._base is not None:       # `root` written out
            root = root._base
        root._writes += 1
        WRITES.last = next_write()

    def _forbid_write_on_tape(self):
        """Raise MXNetError while the array is part of a graph that is being recorded.

        >>> nd.zeros(2)._forbid_write_on_tape()      # it is not
        """
        if _state.recording and tape.is_recorded(self):
            raise MXNetError(_WRITE_WHILE_RECORDING)

    def asnumpy(self) -> np.ndarray[Any, np.dtype[Any]]:
        """A new numpy.ndarray with the same elements.

        >>> nd.array([1, 2]).asnumpy()
        array([1., 2.], dtype=float32)
        """
        return backend_for(self.device).to_numpy(self.buffer)

    def asscalar(self) -> Any:
        """The only element as a number of NumPy's. ArgumentError when there is not exactly one.

        >>> print(nd.array([[5]]).asscalar())
        5.0
        """
        if self.size != 1:
            raise ArgumentError(f"asscalar needs an array of one element, found shape {self.shape}. Choose one, x[0], "
                                "or reduce it, x.mean(); asnumpy() gives all.")
        return self.asnumpy().reshape(())[()]

    def item(self) -> Any:
        """The only element as a number of Python's own.

        >>> nd.array([[5]]).item()
        5.0
        """
        return self.asscalar().item()

    def tostype(self, stype: str) -> NDArray:
        """The elements in another storage: for stype 'row_sparse' and 'csr' an array of `nd.sparse`, else itself.

        >>> print(nd.array([[0, 0], [0, 7]]).tostype("row_sparse").indices.asnumpy())
        [1]
        """
        if stype == "default":
            return self
        return ask("nd.sparse").cast_storage(self, stype)

    def as_nd_ndarray(self) -> NDArray:
        """Itself: there is one kind of array.

        >>> x = nd.zeros(2)
        >>> x.as_nd_ndarray() is x
        True
        """
        return self

    def astype(self, dtype: DType, copy: bool = True) -> NDArray:
        """The elements converted to the type `dtype`; itself if copy=False and nothing changes.

        >>> nd.array([1.5, -1.5]).astype("int32").asnumpy()
        array([ 1, -1], dtype=int32)
        """
        dtype = as_dtype(dtype)
        if not copy and dtype == self.buffer.dtype:
            return self
        op = _casts.get(dtype)
        if op is None:
            op = _casts[dtype] = REGISTRY["Cast"](dtype=dtype.name)         # .name costs NumPy a microsecond
        return invoke(op, [self])

    def copy(self) -> NDArray:
        """A copy on the same device.

        >>> x = nd.zeros(1)
        >>> y = x.copy()
        >>> y[:] = 5
        >>> print(x.asnumpy(), y.asnumpy())
        [0.] [5.]
        """
        return invoke(_operator("identity"), (self,))

    def copyto(self, other: NDArray | Context) -> NDArray:
        """Copy into another NDArray (any dtype and device, the same shape), or to a Context as a new array.

        Returns the other array. Raises ShapeError for another shape.

        >>> x = nd.zeros(2, dtype="int32")
        >>> print(nd.array([1, 2]).copyto(x).asnumpy(), nd.array([1, 2]).copyto(mx.cpu(1)).context)
        [1 2] cpu(1)
        """
        if isinstance(other, Context):
            return self._to_context(other)
        if not isinstance(other, NDArray):
            raise MXNetError(f"copyto needs an NDArray or a Context, found {type(other).__name__}")
        if other.shape != self.shape:
            raise ShapeError(f"copyto: an array of shape {self.shape} cannot be copied to one of shape {other.shape}; "
                             "the shapes must be equal. other[:] = x broadcasts.")
        if other is not self:
            other[:] = self
        return other

    def as_in_context(self, context: Context) -> NDArray:
        """Itself when it is on the device `context`, otherwise a copy there; `as_in_ctx` for short.

        >>> x = nd.zeros(2)
        >>> x.as_in_context(mx.cpu(0)) is x, x.as_in_context(mx.cpu(1)).context
        (True, cpu(1))
        """
        return self if self.device is context else self._to_context(context)

    as_in_ctx = as_in_context

    def _to_context(self, ctx):
        ctx = Context(ctx)
        moved = NDArray(backend_for(ctx).from_numpy(backend_for(self.device).to_numpy(self.buffer), ctx), ctx)
        if _state.recording:
            tape.record_op(REGISTRY["_copyto"](source=str(self.device), target=str(ctx)), (self,), (moved,))
        return moved

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
                   copy: Any = None) -> Any:
        """The array's memory as a DLPack capsule, for `from_dlpack` of other libraries."""
        asked = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
        if not _NUMPY_EXPORTS_VERSIONS:
            asked = {}
        self._root()._is_lent = LENDING.has_begun = True
        return self.buffer.__dlpack__(stream=stream, **{k: v for k, v in asked.items() if v is not None})

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.buffer.__dlpack_device__()

    def to_dlpack_for_read(self) -> Any:
        """A DLPack capsule on the array's memory, for a reader.

        >>> print(nd.from_dlpack(nd.array([1, 2]).to_dlpack_for_read()).asnumpy())
        [1. 2.]
        """
        return self.__dlpack__()

    def to_dlpack_for_write(self) -> Any:
        """A DLPack capsule on the array's memory, for a writer. Counts as a write for the tape, here and now.

        >>> x = nd.zeros(2)
        >>> nd.from_dlpack(x.to_dlpack_for_write())[:] = 5
        >>> print(x.asnumpy())
        [5. 5.]
        """
        self._forbid_write_on_tape()
        self._overwrite(self.buffer)
        return self.__dlpack__()

    def wait_to_read(self) -> None:
        """Wait until the elements are computed; `wait_to_write` is the same.

        >>> x = nd.zeros(2) + 1
        >>> x.wait_to_read()
        """
        backend_for(self.device).synchronize(self.device)

    wait_to_write = wait_to_read

    # -- the tape -----------------------------------------------------------------------------------------------

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Make this array a variable: `backward` will store its gradient in `.grad`.

        grad_req: 'write' replaces the gradient, 'add' adds to it, 'null' leaves it alone.
        stype: storage of the gradient, dense if None; 'row_sparse' holds the rows alone that have one.

        >>> x = nd.array([3])
        >>> x.attach_grad()
        >>> print(x.grad.asnumpy())
        [0.]
        """
        if stype in (None, "default"):
            grad = ask("nd").zeros_like(self.detach())
        else:
            grad = ask("nd.sparse").zeros(stype, self.shape, self.device, self.dtype)
        tape.mark_variables([self], [grad], grad_req)

    def detach(self) -> NDArray:
        """The same memory, cut off from the tape: no gradient goes through it.

        >>> x = nd.array([3])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = x.detach() * x
        >>> y.backward()
        >>> print(x.grad.asnumpy())
        [3.]
        """
        copy = self._view(self.buffer)
        copy._is_detached = True
        return copy

    def backward(self, out_grad: NDArray | None = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        """Differentiate the sum of this array's elements, weighted with `out_grad`, for all variables behind it.

        out_grad: weights of the elements, an array of this shape; None is ones.
        retain_graph: True keeps the graph for a further `backward`.
        train_mode: whether gradients are those of training or of prediction.

        >>> x = nd.array([1, 2])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = x * x
        >>> y.backward(nd.array([1, 10]))
        >>> print(x.grad.asnumpy())
        [ 2. 40.]
        """
        tape.backward(ask("nd"), [self], None if out_grad is None else [out_grad], retain_graph, train_mode)

    # -- arithmetic ---------------------------------------------------------------------------------------------

    def _apply(self, row, other, out=None):
        """self ∘ other, as `Operators` asks for it."""
        if other.__class__ is NDArray:
            return invoke(row.array, (self, other), out)
        number = other if other.__class__ in _NUMBERS else as_number(other)
        return _with_other(row, self, other, out) if number is None else invoke(row.with_number(number), (self,), out)

    def _apply_left(self, row, other):
        number = as_number(other)
        return _with_other(row, self, other) if number is None else invoke(row.with_number_left(number), (self,))

    def _product(self, other):
        if self.ndim <= 2 and other.ndim <= 2:
            return ask("nd").dot(self, other)
        return ask("nd").linalg_gemm2(self, other)

    def __neg__(self) -> NDArray:
        return invoke(_operator("negative"), (self,))

    def __abs__(self) -> NDArray:
        return invoke(_operator("abs"), (self,))

    def __iadd__(self, other: NDArray | Number) -> NDArray:
        return self._apply(_ADD, other, self)

    def __isub__(self, other: NDArray | Number) -> NDArray:
        return self._apply(_SUBTRACT, other, self)

    def __imul__(self, other: NDArray | Number) -> NDArray:
        return self._apply(_MULTIPLY, other, self)

    def __itruediv__(self, other: NDArray | Number) -> NDArray:
        return self._apply(_DIVIDE, other, self)

    def __imod__(self, other: NDArray | Number) -> NDArray:
        return self._apply(_MODULO, other, self)

    # -- as a Python object -------------------------------------------------------------------------------------

    # __getitem__, __setitem__ and __iter__ are in indexing.py.

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        if self.size > 1:
            raise ValueError(f"the truth value of an array of shape {self.shape} is ambiguous: "
                             "only an array of one element is true or false. Write x.max() for 'any of them', x.min() "
                             "for 'all of them', nd.where(x, a, b) to choose for each.")
        return self.size == 1 and bool(self.asscalar())

    def __float__(self) -> float:
        return float(self.asscalar())

    def __int__(self) -> int:
        return int(self.asscalar())

    def __index__(self) -> int:
        if self.buffer.dtype.kind not in "iub":
            raise TypeError(f"only an integer array of one element can be an index, found dtype {self.buffer.dtype}")
        return int(self.asscalar())

    def __repr__(self) -> str:
        elements = self.buffer if isinstance(self.buffer, np.ndarray) else self.asnumpy()   # no copy, it may be large
        return f"\n{elements}\n<NDArray {'x'.join(map(str, self.shape))} @{self.device}>"

    def _repr_html_(self) -> str:
        from ..display.arrays import array_html
        return array_html(self)

    def __copy__(self) -> NDArray:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> NDArray:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.asnumpy(), str(self.device))


def _with_other(row, x, other, out=None):
    """x ∘ other for an array of another storage. NotImplemented for what is no array, so that Python tries the other
    operand; NumPy's arrays would answer with ufuncs.
    """
    if isinstance(other, NDArray):
        return ask("nd.sparse").run_any(row.array, (x, other), out)
    if isinstance(other, np.ndarray):
        raise CallError(f"{row.name}: an NDArray and a numpy.ndarray, here of shape {other.shape}, do not mix. Convert "
                        "one of them: nd.array(a), or x.asnumpy(), which leaves the tape.")
    if isinstance(other, (list, tuple, str, type(None))) and row.name not in ("equal", "not_equal"):
        remedy = "Is a `return` missing where it comes from?" if other is None else "Convert it with nd.array(...)."
        raise TypeError(f"{row.name}: expected NDArrays or numbers, found {type(other).__name__}. {remedy}")
    return NotImplemented


def _unpickle(array, ctx):
    from ..context import parse
    ctx = parse(ctx)
    return NDArray(backend_for(ctx).from_numpy(array, ctx), ctx)


@functools.lru_cache(4096)
def _operator(name, *axis):
    """An operator without attributes, or with an axis: to make it takes longer than to run it on a small array."""
    return REGISTRY[name](**dict(zip(("axis",), axis, strict=False)))


@functools.lru_cache(4096)
def _reshape_op(shape, reverse):
    return REGISTRY["Reshape"](shape=shape, reverse=reverse)


@functools.lru_cache(4096)
def _output_shape(op, shape):
    return op.infer_shape(shape)[1][0]


_casts = {}         # dtype -> operator

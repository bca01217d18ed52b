"""`nd.Custom`: runs an operator that a program defines in Python (`mx.operator`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import tape
from ..backend import Spec
from ..base import ArgumentError, AutogradError, listed
from ..context import current_context
from ..dispatch import infer
from ..frontend.binding import require_inputs
from ..ops.graph.custom import Custom
from .creation import zeros
from .exports import plain_arrays
from .ndarray import NDArray

if TYPE_CHECKING:
    from ..ops.op import Op

__all__ = ["custom_function", "run_custom"]


def custom_function(*args: Any, op_type: str | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Runs the operator registered as op_type with `mx.operator.register`; returns an NDArray, or a list of NDArrays.

    args: the inputs, then the auxiliary states; they may also be passed by name.
    op_type: the name under which it is registered.
    name: has no effect; in graphs it names the node.
    kwargs: arrays by name; other values are passed to the CustomOpProp as strings.

    >>> @mx.operator.register("docs_thrice")
    ... class ThriceProp(mx.operator.CustomOpProp):
    ...     def create_operator(self, ctx, shapes, dtypes):
    ...         return Thrice()
    >>> class Thrice(mx.operator.CustomOp):
    ...     def forward(self, is_train, req, in_data, out_data, aux):
    ...         self.assign(out_data[0], req[0], 3 * in_data[0])
    >>> print(nd.Custom(nd.array([3]), op_type="docs_thrice").asnumpy())
    [9.]
    """
    arrays = {key: value for key, value in kwargs.items() if isinstance(value, NDArray)}
    options = {key: value for key, value in kwargs.items() if key not in arrays}
    op = Custom(op_type=op_type, **options)
    inputs = list(args)
    names = op.list_arguments()
    for argument in names[len(inputs):]:
        if argument in arrays:
            inputs.append(arrays.pop(argument))
    if arrays:
        raise ArgumentError(f"Custom: {op_type!r} takes the arrays {listed(names)}, but also found {listed(arrays)}")
    for argument, x in zip(names, inputs, strict=False):
        if not isinstance(x, NDArray):
            raise ArgumentError(f"Custom: {argument} of {op_type!r} must be an NDArray, found {type(x).__name__}")
    outputs = run_custom(op, inputs)
    return outputs[0] if len(outputs) == 1 else outputs


def run_custom(op: Op, inputs: Any) -> list[NDArray]:
    """Returns the outputs as a list, with an entry on the tape while recording."""
    require_inputs(op, inputs)
    outputs = [Spec(x.shape, x.buffer.dtype) for x in inputs]
    specs = infer(op, outputs)
    ctx = inputs[0].context if inputs else current_context()
    count = len(op.data_names)
    outputs = [zeros(spec.shape, ctx, spec.dtype) for spec in specs]
    shapes = [list(x.shape) for x in inputs]
    program = op.call("create_operator", op.prop.create_operator, ctx, shapes, [x.dtype for x in inputs])
    training = tape.state.training
    own = inputs[0]._to_own_class if inputs else NDArray._to_own_class      # arrays of `mx.np` if the inputs are
    with tape.Scope(False, None):
        op.call("forward", program.forward, is_train=training, req=["write"] * len(outputs),
                in_data=own([x._twin() for x in inputs[:count]]), out_data=own([y._twin() for y in outputs]),
                aux=own(list(inputs[count:])))
    if tape.state.recording:
        reqs = ["write" if tape.is_recorded(x) else "null" for x in inputs[:count]]
        tape.record_op(_Call(op, program, reqs, list(inputs), own), plain_arrays(list(inputs)), outputs)
    return own(outputs)


class _Call:
    """A call to a program's operator, as an operator on the tape."""

    differentiable = True

    def __init__(self, op, program, reqs, inputs, own):
        self.op, self.program, self.reqs, self.own = op, program, reqs, own
        self.name = f"Custom {op.op_type!r}"
        self.mutates, self.keeps = op.mutates, op.dependencies()
        self.specs = [(x.shape, x.context, x.dtype) for x in inputs[:len(reqs)]]
        self.states = inputs[len(reqs):]

    def list_arguments(self):
        return self.op.list_arguments()

    def gradient(self, F, out_grads, inputs, outputs):
        """Returns the arrays to which the program's `backward` writes in in_grad; arrays that it does not write to
        contain zeros.
        """
        if tape.state.recording:
            raise AutogradError(f"{self.name} is written in Python: its backward is not recorded, so grad with "
                                "create_graph=True cannot go through it")
        count, own = len(self.reqs), self.own
        grads = [zeros(*spec) for spec in self.specs]
        with tape.Scope(False, None):
            self.op.call("backward", self.program.backward, req=list(self.reqs), out_grad=own(list(out_grads)),
                         in_data=own([None if x is None else x._twin() for x in inputs[:count]]),
                         out_data=own(list(outputs)), in_grad=own(grads), aux=own(self.states))
        requested = [None if req == "null" else grad for req, grad in zip(self.reqs, grads, strict=True)]
        return requested + [None] * len(self.states)

"""`mx.operator`: custom operators written in Python, for arrays and graphs.

    class Sigmoid(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], 1 / (1 + mx.nd.exp(-in_data[0])))

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            y = out_data[0]
            self.assign(in_grad[0], req[0], out_grad[0] * y * (1 - y))

    @mx.operator.register("sigmoid")
    class SigmoidProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Sigmoid()

    mx.nd.Custom(x, op_type="sigmoid")

For an operator that is fast, fusible and twice differentiable, write a class like those in `minigluon.ops` instead.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..base import ArgumentError, MXNetError, nearest
from ..common.class_registry import Class
from ..common.types import Contexts
from ..diagnostics.keywords import ChecksKeywords
from ..diagnostics.strictness import warn
from ..ops import REGISTRY
from ..ops.argument_types import type_text
from ..ops.graph.custom import PROPS, Custom
from ..symbol.custom import compose_custom
from ..symbol.own_attributes import take_own

if TYPE_CHECKING:
    pass

__all__ = ["CustomOp", "CustomOpProp", "NDArrayOp", "NumpyOp", "OperatorArguments", "PythonOp",
           "get_all_registered_operators", "get_operator_arguments", "register"]


class CustomOp:
    """The computation. Each call creates a new object, so `forward` may store values for `backward` on self.

    >>> class Square(mx.operator.CustomOp):
    ...     def forward(self, is_train, req, in_data, out_data, aux):
    ...         self.assign(out_data[0], req[0], in_data[0] ** 2)
    ...     def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
    ...         self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0])
    >>> @mx.operator.register("squared_example")
    ... class SquareProp(mx.operator.CustomOpProp):
    ...     def create_operator(self, ctx, in_shapes, in_dtypes):
    ...         return Square()
    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.Custom(x, op_type="squared_example")
    >>> y.backward()
    >>> y.item(), x.grad.item()
    (9.0, 6.0)
    """

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> Any:
        """Write the outputs. in_data, out_data, aux: lists of NDArrays; req: 'write', ... for each output.

        is_train: whether it is recorded in training mode.
        """
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def backward(self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any) -> Any:
        """Write the gradients of the inputs to in_grad. req: 'null' for unneeded gradients.

        out_grad: the incoming gradients, one for each output.
        in_data, out_data, aux: the inputs, outputs and auxiliary states of `forward`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no backward, but a gradient was requested")

    def assign(self, dst: Any, req: Any, src: Any) -> None:
        """Write src to dst according to req: 'null', 'write', 'inplace' or 'add'."""
        if req in ("write", "inplace"):
            dst[...] = src
        elif req == "add":
            dst[...] += src
        elif req != "null":
            raise ArgumentError(f"assign: req is {req!r}, expected one of 'null', 'write', 'inplace', 'add'")


class CustomOpProp(ChecksKeywords):
    """The static properties of an operator. `__init__` receives the options of a call as strings.

    need_top_grad=False marks a loss, whose gradient does not depend on the incoming gradient.

    >>> class SumProp(mx.operator.CustomOpProp):
    ...     def list_arguments(self):
    ...         return ["first", "second"]
    ...     def list_outputs(self):
    ...         return ["total"]
    ...     def list_auxiliary_states(self):
    ...         return []
    ...     def infer_shape(self, in_shape):
    ...         return in_shape, [in_shape[0]], []
    ...     def infer_type(self, in_type):
    ...         return in_type, [in_type[0]], []
    ...     def declare_backward_dependency(self, out_grad, in_data, out_data):
    ...         return out_grad
    >>> prop = SumProp()
    >>> prop.infer_storage_type(["default", "default"])
    (['default', 'default'], ['default'], [])
    >>> prop.infer_storage_type_backward(["default"], ["default", "default"], ["default"], ["default", "default"], [])
    (['default'], ['default', 'default'], ['default'], ['default', 'default'], [])
    """

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def infer_shape(self, in_shape: Any) -> Any:
        """Return (shapes of inputs, of outputs, of auxiliary states).

        By default, all outputs have the shape of the first input.

        in_shape: the shapes of the inputs.
        """
        return in_shape, (in_shape[0],) * len(self.list_outputs()), ()

    def infer_type(self, in_type: Any) -> Any:
        """Return the same information for dtypes. By default, all dtypes are that of the first input.

        in_type: the types of the inputs.
        """
        return in_type, [in_type[0]] * len(self.list_outputs()), [in_type[0]] * len(self.list_auxiliary_states())

    def infer_storage_type(self, in_stype: Any) -> Any:
        """Return the storage types, always 'default' (dense).

        in_stype: a string for each input.
        """
        return in_stype, ["default"] * len(self.list_outputs()), ["default"] * len(self.list_auxiliary_states())

    def infer_storage_type_backward(self, ograd_stype: Any, in_stype: Any, out_stype: Any, igrad_stype: Any,
                                    aux_stype: Any) -> Any:
        """Return the storage types, always 'default' (dense).

        ograd_stype, in_stype, out_stype, igrad_stype, aux_stype: a string for each array.
        """
        return tuple(["default"] * len(types) for types in (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype))

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return ["output"]

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["data"]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of arrays that the operator keeps between calls."""
        return []

    def declare_backward_dependency(self, out_grad: Any, in_data: Any, out_data: Any) -> Any:
        """Return those of the given indices whose arrays `backward` reads; the other arrays may be None.

        out_grad, in_data, out_data: lists of indices of the incoming gradients, the inputs and the outputs.
        """
        return [*(out_grad if self.need_top_grad_ else []), *in_data, *out_data]

    def create_operator(self, ctx: Contexts, in_shapes: Any, in_dtypes: Any) -> Any:
        """Return the CustomOp.

        ctx: the device, as a string.
        in_shapes, in_dtypes: the shapes and dtypes of the inputs.

        >>> class Copy(mx.operator.CustomOp):
        ...     def forward(self, is_train, req, in_data, out_data, aux):
        ...         self.assign(out_data[0], req[0], in_data[0])
        >>> @mx.operator.register("copy_example")
        ... class CopyProp(mx.operator.CustomOpProp):
        ...     def create_operator(self, ctx, in_shapes, in_dtypes):
        ...         return Copy()
        >>> nd.Custom(nd.array([3]), op_type="copy_example").item()
        3.0
        """
        raise NotImplementedError(f"{type(self).__name__} has no create_operator")


def register(reg_name: str) -> Callable[[Class], Class]:
    """Return a decorator that registers a CustomOpProp as op_type=reg_name, replacing any earlier one with this name.

    >>> @mx.operator.register("nothing_example")
    ... class NothingProp(mx.operator.CustomOpProp):
    ...     def create_operator(self, ctx, in_shapes, in_dtypes):
    ...         return mx.operator.CustomOp()
    """
    def enter(prop_cls):
        if not (isinstance(prop_cls, type) and issubclass(prop_cls, CustomOpProp)):
            raise ArgumentError(f"mx.operator.register takes a class derived from CustomOpProp, found {prop_cls!r}")
        PROPS[reg_name] = prop_cls
        return prop_cls
    return enter


class PythonOp(ChecksKeywords):
    """The base class of NumpyOp and NDArrayOp, whose objects are operators in graphs. Use CustomOp instead.

    need_top_grad=False marks a loss, whose gradient does not depend on the incoming gradient. By default, an operator
    copies its input, and its gradient consists of ones.

    >>> import warnings
    >>> class Square(mx.operator.NumpyOp):
    ...     def forward(self, in_data, out_data):
    ...         out_data[0][:] = in_data[0] ** 2
    ...     def backward(self, out_grad, in_data, out_data, in_grad):
    ...         in_grad[0][:] = 2 * in_data[0] * out_grad[0]
    ...     def infer_shape(self, in_shape):
    ...         return in_shape, [in_shape[0]]
    ...     def list_arguments(self):
    ...         return ["data"]
    ...     def list_outputs(self):
    ...         return ["output"]
    >>> with warnings.catch_warnings():                         # it is deprecated
    ...     warnings.simplefilter("ignore")
    ...     square = Square()
    >>> isinstance(square, mx.operator.PythonOp), square.need_top_grad()
    (True, True)
    >>> square.get_symbol(sym.var("x")).eval(x=nd.array([3]))[0].item()
    9.0
    """

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad
        warn(f"{type(self).__name__}: mx.operator.PythonOp, NumpyOp and NDArrayOp are deprecated. Write a CustomOp and "
             "a CustomOpProp instead.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return `get_symbol(...)`."""
        return self.get_symbol(*args, **kwargs)

    def get_symbol(self, *args: Any, **kwargs: Any) -> Any:
        """Return a node of this operator.

        args: the inputs, Symbols.
        kwargs: inputs by name, and `name`, the name of the node.
        """
        raise NotImplementedError(f"{type(self).__name__} has no get_symbol: derive it from NumpyOp or NDArrayOp")

    def forward(self, in_data: Any, out_data: Any) -> Any:
        """Write the outputs to the arrays in out_data.

        in_data: the inputs.
        """
        out_data[0][:] = in_data[0]

    def backward(self, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any) -> None:
        """Write the gradients of the inputs to the arrays in in_grad.

        out_grad: the incoming gradients, one for each output.
        in_data, out_data: the inputs and outputs of `forward`.
        """
        in_grad[0][:] = 1

    def infer_shape(self, in_shape: Any) -> Any:
        """Return (shapes of inputs, of outputs). By default, the only output has the shape of the first input.

        in_shape: the shapes of the inputs.
        """
        return in_shape, [in_shape[0]]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return ["output"]

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["data"]

    def need_top_grad(self) -> Any:
        """Return whether `backward` uses out_grad."""
        return self.need_top_grad_


class NumpyOp(PythonOp):
    """An operator whose `forward` and `backward` receive NumPy arrays.

    need_top_grad: whether an incoming gradient is needed; False for a loss.

    >>> import warnings
    >>> class Double(mx.operator.NumpyOp):
    ...     def forward(self, in_data, out_data):
    ...         out_data[0][:] = 2 * in_data[0]
    >>> with warnings.catch_warnings():                         # it is deprecated
    ...     warnings.simplefilter("ignore")
    ...     double = Double()
    >>> double(sym.var("x")).eval(x=nd.array([3]))[0].item()
    6.0
    """

    def get_symbol(self, *args: Any, name: str | None = None, attr: Any = None, **kwargs: Any) -> Any:
        """Return a node of this operator. args: inputs, which may also be passed by name; missing inputs become
        variables.
        """
        return _compose(self, _NumpyProp, args, kwargs, name, attr, "_native")


class NDArrayOp(PythonOp):
    """An operator whose `forward` and `backward` receive NDArrays.

    need_top_grad: whether an incoming gradient is needed; False for a loss.

    >>> import warnings
    >>> class Double(mx.operator.NDArrayOp):
    ...     def forward(self, in_data, out_data):
    ...         out_data[0][:] = 2 * in_data[0]
    ...     def declare_backward_dependency(self, out_grad, in_data, out_data):
    ...         return out_grad
    >>> with warnings.catch_warnings():                         # it is deprecated
    ...     warnings.simplefilter("ignore")
    ...     double = Double()
    >>> double(sym.var("x")).eval(x=nd.array([3]))[0].item()
    6.0
    """

    def get_symbol(self, *args: Any, name: str | None = None, attr: Any = None, **kwargs: Any) -> Any:
        """Return a node of this operator. args: inputs, which may also be passed by name; missing inputs become
        variables.
        """
        return _compose(self, _NDArrayProp, args, kwargs, name, attr, "_ndarray")

    def declare_backward_dependency(self, out_grad: Any, in_data: Any, out_data: Any) -> Any:
        """Return indices as `CustomOpProp.declare_backward_dependency` does.

        out_grad, in_data, out_data: lists of indices of the incoming gradients, the inputs and the outputs.
        """
        return [*(out_grad if self.need_top_grad() else []), *in_data, *out_data]


def _compose(operator, prop, args, kwargs, name, attr, hint):
    """Return a Custom node for a PythonOp, which is registered and therefore kept until the process ends."""
    op_type = f"{type(operator).__name__}#{id(operator):x}"
    PROPS.setdefault(op_type, partial(prop, operator))
    own = take_own(kwargs)
    return compose_custom(Custom(op_type=op_type), args, kwargs, name, attr, own, hint)


class _NumpyProp(CustomOpProp):
    """Properties of a NumpyOp."""

    def __init__(self, operator):
        super().__init__(operator.need_top_grad())
        self.operator = operator

    def infer_shape(self, in_shape):
        return self.operator.infer_shape(in_shape)

    def list_outputs(self):
        return self.operator.list_outputs()

    def list_arguments(self):
        return self.operator.list_arguments()

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return _NumpyCall(self.operator, self.need_top_grad_)


class _NDArrayProp(_NumpyProp):
    """Properties of an NDArrayOp."""

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return self.operator.declare_backward_dependency(out_grad, in_data, out_data)

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return _NDArrayCall(self.operator)


class _NumpyCall(CustomOp):
    """A call to a NumpyOp on NumPy copies of the arrays, from which the results are copied back."""

    def __init__(self, operator, need_top_grad):
        self.operator, self.need_top_grad = operator, need_top_grad

    def forward(self, is_train, req, in_data, out_data, aux):
        results = _copies(out_data)
        self.operator.forward(in_data=_copies(in_data), out_data=results)
        _copy_back(results, out_data)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        results = _copies(in_grad)
        self.operator.backward(out_grad=_copies(out_grad) if self.need_top_grad else [], in_data=_copies(in_data),
                               out_data=_copies(out_data), in_grad=results)
        _copy_back(results, in_grad)


def _copies(arrays):
    return [x.asnumpy() for x in arrays]


def _copy_back(results, arrays):
    for x, value in zip(arrays, results, strict=True):
        x[...] = value


class _NDArrayCall(CustomOp):
    """A call to an NDArrayOp."""

    def __init__(self, operator):
        self.operator = operator

    def forward(self, is_train, req, in_data, out_data, aux):
        self.operator.forward(in_data=in_data, out_data=out_data)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.operator.backward(out_grad=out_grad, in_data=in_data, out_data=out_data, in_grad=in_grad)


# The result of `get_operator_arguments`: the number of arguments, and the name and type of each.
OperatorArguments = namedtuple("OperatorArguments", ["narg", "names", "types"])
OperatorArguments.__doc__ = """Result of `get_operator_arguments`.

narg: the number of inputs and attributes.
names: their names.
types: their types.

>>> isinstance(mx.operator.get_operator_arguments("relu"), mx.operator.OperatorArguments)
True
"""


def get_all_registered_operators() -> list[str]:
    """Return the names of all operators.

    >>> "Convolution" in mx.operator.get_all_registered_operators()
    True
    """
    return [*REGISTRY, "Custom"]


def get_operator_arguments(op_name: Any) -> Any:
    """Return the inputs and attributes of an operator, with their types and either their defaults or a note that they
    are required.

    op_name: the operator's name.

    >>> arguments = mx.operator.get_operator_arguments("Activation")
    >>> arguments.names
    ['data', 'act_type']
    """
    if op_name not in REGISTRY:
        raise MXNetError(f"there is no operator {op_name!r}.{nearest(op_name, REGISTRY)}")
    cls = REGISTRY[op_name]
    names = [*cls.arguments, *cls.fields]
    types = ["NDArray-or-Symbol[]" if cls.variadic else "NDArray-or-Symbol"] * len(cls.arguments)
    types += [type_text(field) for field in cls.fields.values()]
    return OperatorArguments(len(names), names, types)

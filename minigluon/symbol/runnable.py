"""A Symbol's methods that run and draw it. Higher layers implement them (see `executor` and `explain`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np

from ..context import Context
from ..diagnostics import strictness
from ..ops.shapes import Spec
from ..providers import ask

__all__ = ["Runnable", "describe", "optimizers"]

# name -> function that takes a Symbol and {variable name: Spec} and returns a Symbol. `hybrid.register_pass` adds such
# functions.
optimizers: dict[Any, Callable[[Any, dict[str, Spec]], Any]] = {}

_LINE = "-" * 20
_Symbol = TypeVar("_Symbol", bound="Runnable")


class Executor(Protocol):
    """The result of binding (see `mx.executor.Executor`)."""

    outputs: list[Any]
    arg_arrays: list[Any]
    grad_arrays: list[Any]
    aux_arrays: list[Any]
    arg_dict: dict[str, Any]
    grad_dict: dict[str, Any]
    aux_dict: dict[str, Any]

    @property
    def output_dict(self) -> dict[str, Any]: ...
    def forward(self, is_train: Any = False, **kwargs: Any) -> Any: ...
    def backward(self, out_grads: Any = None, is_train: bool = True) -> None: ...
    def copy_params_from(self, arg_params: Any, aux_params: Any = None, allow_extra_params: bool = False) -> None: ...
    def reshape(self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any) -> Executor: ...
    def set_monitor_callback(self, callback: Callable[..., Any], monitor_all: bool = False) -> None: ...
    def debug_str(self) -> str: ...
    def get_optimized_symbol(self) -> Any: ...


class Runnable:
    """Mixin for Symbol that binds arrays to a graph or displays it."""

    def _repr_svg_(self) -> str | None:
        return ask("explain.symbol_drawing").symbol_svg(self)

    def _repr_html_(self) -> str | None:
        return ask("explain.symbol_drawing").symbol_html(self)

    def bind(self, ctx: Any, args: Any, args_grad: Any = None, grad_req: Any = "write", aux_states: Any = None,
             group2ctx: Any = None, shared_exec: Any = None) -> Executor:
        """Returns an Executor that runs the graph on the program's arrays.

        ctx: the device.
        args: NDArrays for all arguments: a list in the order of `list_arguments()`, or a dict by name.
        args_grad: arrays for their gradients, in the same forms; omitted arguments have no gradient.
        grad_req: 'write', 'add' or 'null'; one for all arguments, a list, or a dict by name.
        aux_states: NDArrays for the auxiliary states.
        group2ctx: the device of each group, for nodes created in `AttrScope(ctx_group="group")`; other nodes run on
            `ctx`.
        shared_exec: no effect.

        Raises ArgumentError for missing arguments and wrong types, ShapeError and DTypeError with the node's name for
        arrays that do not match, and ContextError for arrays that are not on their variable's device.

        >>> x, grad = nd.array([3]), nd.zeros(1)
        >>> run = sym.square(sym.var("x")).bind(mx.cpu(), [x], [grad])
        >>> print(run.forward(is_train=True)[0].asnumpy())
        [9.]
        >>> run.backward(nd.ones(1))
        >>> print(grad.asnumpy())
        [6.]
        """
        return ask("executor").bind(self, ctx, args, args_grad, grad_req, aux_states, group2ctx)

    def simple_bind(self, ctx: Any, grad_req: Any = "write", type_dict: Any = None, stype_dict: Any = None,
                    group2ctx: Any = None, shared_arg_names: Any = None, shared_exec: Any = None,
                    shared_buffer: Any = None, **kwargs: Any) -> Executor:
        """Returns an Executor with new arrays of zeros, given the shapes of some variables as keywords.

        ctx: the device.
        grad_req: as in `bind`.
        type_dict: types by name; float32 if they cannot be inferred.
        stype_dict: storage types by name, which override those declared by variables.
        group2ctx: as in `bind`.
        shared_arg_names: arguments whose arrays are taken from shared_exec.
        shared_exec: another Executor.
        shared_buffer: a dict of arrays whose memory executors share.
        kwargs: shapes by name.

        Raises ShapeError if the shapes contradict each other or are not sufficient.

        >>> run = sym.FullyConnected(sym.var("x"), num_hidden=4, name="fc").simple_bind(mx.cpu(), x=(2, 3))
        >>> run.arg_dict["fc_weight"].shape
        (4, 3)
        """
        return ask("executor").simple_bind(self, ctx, grad_req, type_dict, stype_dict, group2ctx, shared_arg_names,
                                    shared_exec, shared_buffer, kwargs)

    def eval(self, ctx: Context | None = None, **kwargs: Any) -> list[Any]:
        """Returns the outputs as a list of NDArrays, from an NDArray for every variable, by name.

        ctx: the device; the current one if None.
        kwargs: the NDArrays.

        >>> print((sym.var("a") * sym.var("b")).eval(a=nd.array([3]), b=nd.array([4]))[0].asnumpy())
        [12.]
        """
        return ask("executor").evaluate(self, ctx, kwargs)

    def gradient(self: _Symbol, wrt: Any) -> _Symbol:
        """Returns the graph that computes the gradients of the sum of all outputs, with one output for each name in
        `wrt`.

        >>> print(sym.square(sym.var("x")).gradient(["x"]).eval(x=nd.array([3]))[0].asnumpy())
        [6.]
        """
        return ask("executor").gradient(self, wrt)

    def debug_str(self) -> str:
        """Returns the graph, node by node, as a string.

        >>> print(sym.relu(sym.var("x"), name="act").debug_str().expandtabs(4))
        Symbol Outputs:
            output[0]=act(0)
        Variable:x
        --------------------
        Op:relu, Name=act
        Inputs:
            arg[0]=x(0) version=0
        <BLANKLINE>
        """
        return describe(self)

    def optimize_for(self: _Symbol, backend: Any, *args: Any, **kwargs: Any) -> _Symbol:
        """Returns the result of a registered pass; if the pass does not exist, warns and returns the symbol itself.

        backend: the name of a pass (see `minigluon.hybrid.register_pass`).
        args, kwargs: as in MXNet. Only `args` and `aux`, {name: NDArray}, have an effect: the pass learns all shapes
            from them.

        >>> import warnings
        >>> y = sym.exp(sym.var("x"))
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     y.optimize_for("TensorRT") is y, y.get_backend_symbol("TensorRT") is y
        (True, True)
        """
        optimize = optimizers.get(backend)
        if optimize is not None:
            arguments, states = [*args[:2], None, None][:2]
            arrays = {**_by_name(arguments or kwargs.get("args"), self.list_arguments()),
                      **_by_name(states or kwargs.get("aux"), self.list_auxiliary_states())}
            return optimize(self, {name: Spec(x.shape, np.dtype(x.dtype)) for name, x in arrays.items()})
        strictness.warn(f"optimize_for({backend!r}): minigluon has no backends that take parts of a graph; the symbol "
                        "stays as it is. Its plan is optimized when it is bound, or when a block is hybridized.")
        return self

    get_backend_symbol = optimize_for

    def as_nd_ndarray(self: _Symbol) -> _Symbol:
        """Returns the symbol itself, because there is only one type of symbol.

        >>> x = sym.var("x")
        >>> x.as_nd_ndarray() is x
        True
        """
        return self


def _by_name(arrays, names):
    """Returns {name: array} for arrays in a dict, or in a list in the order of the names, or None."""
    return dict(arrays if isinstance(arrays, dict) else zip(names, arrays or (), strict=False))


def describe(symbol):
    """Returns the listing for `debug_str`: the name, inputs and attributes of each operator."""
    lines = ["Symbol Outputs:"]
    lines += [f"\toutput[{i}]={node.name}({index})" for i, (node, index) in enumerate(symbol.heads)]
    for node in symbol.nodes():
        if node.op is None:
            lines.append(f"Variable:{node.name}")
            continue
        lines += [_LINE, f"Op:{node.op.name}, Name={node.name}", "Inputs:"]
        for i, (parent, index) in enumerate(node.inputs):
            version = " version=0" if parent.op is None else ""
            lines.append(f"\targ[{i}]={parent.name}({index}){version}")
        own = {key: text for key, text in sorted(node.attrs.items()) if not key.startswith("__")}
        if own:
            lines += ["Attrs:", *(f"\t{key}={text}" for key, text in own.items())]
    return "\n".join([*lines, ""])

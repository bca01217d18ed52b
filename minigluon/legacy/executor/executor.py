"""Executor: a graph bound to arrays for its variables, which computes outputs and gradients on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import autograd
from ...base import ArgumentError, MXNetError, ShapeError, listed, nearest, repeated
from ...common.types import Contexts
from ...ndarray import NDArray
from . import reshaping
from .gradient_watcher import GradientWatcher
from .inference import infer_outputs
from .runner import Runner

if TYPE_CHECKING:
    from ...symbol import Symbol

__all__ = ["Executor"]


class Executor:
    """A bound graph, as returned by `Symbol.bind` and `simple_bind`.

    arg_arrays, aux_arrays: the arrays of the graph's arguments and auxiliary states, in the order of
    `list_arguments()` and `list_auxiliary_states()`. grad_arrays: the arrays to which `backward` writes the gradients,
    or None.
    outputs: the results of the last `forward`. Each `forward` writes to the same arrays, so copy those you want to
        keep. The dicts contain the same arrays by name.
    symbol, ctx: the graph and its device.
    args, grads, aux: the lists arg_arrays, grad_arrays and aux_arrays.
    grad_req: {name: 'write', 'add' or 'null'}.
    placement: the devices of parts of the graph (see `group2ctx` in `Symbol.bind`).

    >>> executor = sym.make_loss(sym.var("x") * sym.var("y")).bind(
    ...     mx.cpu(), {"x": nd.array([3]), "y": nd.array([4])}, args_grad={"x": nd.zeros((1,))})
    >>> outputs = executor.forward(is_train=True)
    >>> executor.backward()
    >>> executor.outputs[0].item(), executor.grad_dict["x"].item(), isinstance(executor, mx.executor.Executor)
    (12.0, 4.0, True)
    >>> executor.copy_params_from({"x": nd.array([5])})
    >>> executor.arg_dict["x"].item(), executor.aux_dict
    (5.0, {})
    >>> executor.forward(y=nd.array([6]))[0].item(), list(executor.output_dict)
    (30.0, ['make_loss0_loss'])
    >>> executor.reshape(x=(2,), y=(2,), allow_up_sizing=True).forward()[0].shape
    (2,)
    >>> executor.set_monitor_callback(lambda name, array: print(name, array.item()))
    >>> outputs = executor.forward()
    _mul0_output 30.0
    make_loss0_loss 30.0
    >>> executor.get_optimized_symbol().list_arguments(), "_mul0" in executor.debug_str()
    (['x', 'y'], True)
    """

    def __init__(self, symbol: Symbol, ctx: Contexts, args: Any, grads: Any, grad_req: Any, aux: Any,
                 placement: Any = None) -> None:
        self._symbol, self._ctx, self._grad_req, self._placement = symbol, ctx, grad_req, placement
        self.arg_arrays: list[NDArray] = args
        self.grad_arrays: list[NDArray | None] = grads
        self.aux_arrays: list[NDArray] = aux
        names, states = symbol.list_arguments(), symbol.list_auxiliary_states()
        # The bound arrays are never replaced. The dicts are for the program, which may replace entries without any
        # effect.
        self._bound: tuple[dict[str, Any], ...] = tuple(
            dict(zip(keys, arrays, strict=True)) for keys, arrays in ((names, args), (names, grads), (states, aux)))
        self._arg_dict, self._grad_dict, self._aux_dict = map(dict, self._bound)
        bound_args, bound_grads, bound_aux = self._bound
        self._runner = Runner(symbol, ctx, bound_args, bound_grads, grad_req, bound_aux,
                              infer_outputs(symbol, {**bound_args, **bound_aux}), placement)
        self._watcher = None            # (callback, monitor_all)
        self._group2ctx: dict[str, Any] | None = None if placement is None else placement.groups
        self.outputs: list[NDArray] = self._runner.outputs

    @property
    def arg_dict(self) -> dict[str, NDArray]:
        """The arguments by name. Replacing an entry has no effect; write to the array instead."""
        return self._arg_dict

    @property
    def grad_dict(self) -> dict[str, NDArray | None]:
        """The gradients by name. Replacing an entry has no effect."""
        return self._grad_dict

    @property
    def aux_dict(self) -> dict[str, NDArray]:
        """The auxiliary states by name, like `arg_dict`."""
        return self._aux_dict

    @property
    def output_dict(self) -> dict[str, NDArray]:
        """The outputs by name. Raises MXNetError if two outputs have the same name."""
        names = self._symbol.list_outputs()
        twice = repeated(names)
        if twice is not None:
            raise ArgumentError(f"the executor has two outputs called {twice!r}; use `outputs`, the list of them")
        return dict(zip(names, self.outputs, strict=True))

    # -- running ------------------------------------------------------------------------------------------------

    def forward(self, is_train: Any = False, **kwargs: Any) -> Any:
        """Compute the outputs. is_train: whether to use training mode, so that `backward` can be called afterwards.

        kwargs: new values for arguments, NDArrays or NumPy arrays, which are copied to the bound arrays.

        Returns the outputs. Raises ArgumentError for an unknown argument, and ShapeError for a wrong shape.
        """
        for name, value in kwargs.items():
            self._assign(name, value)
        watch = None
        if self._watcher is not None:
            callback, everything = self._watcher
            watch = GradientWatcher({**self._bound[0], **self._bound[2]}, lambda name, _, x: callback(name, x),
                                    everything, everything)
        self.outputs = self._runner.forward(bool(is_train), watch)
        return self.outputs

    def _assign(self, name, value):
        if name not in self.arg_dict:
            raise ArgumentError(f"forward: the graph has no argument {name!r}; it has "
                                f"{listed(self.arg_dict)}.{nearest(name, self.arg_dict)}")
        if not isinstance(value, (NDArray, np.ndarray)):
            raise ArgumentError(f"forward: argument {name!r} must be an NDArray or a numpy.ndarray, found "
                                f"{type(value).__name__}")
        target = self.arg_dict[name]
        if target.shape != value.shape:
            raise ShapeError(f"forward: argument {name!r} was bound with shape {target.shape}, found {value.shape}. "
                              "Call reshape for an executor of other shapes.")
        if value is not target:
            with autograd.pause():
                target[:] = value

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Compute the gradients of the arguments, which are written or added to their arrays according to grad_req.

        out_grads: the gradient of each output: an array, a list, or a dict by output name. Losses, such as
            SoftmaxOutput and MakeLoss, do not need gradients, and neither do outputs through which no gradient passes;
            gradients given for these outputs are ignored. The gradients are those of the last `forward`, whatever its
            mode; if there was none, `forward(is_train=True)` runs first.

        Raises MXNetError for an output that needs a gradient but has none.
        """
        self._backward(out_grads, keep=True)

    def _backward(self, out_grads, keep):
        if not self._runner.has_run:
            self.forward(is_train=True)
        heads = self._heads(out_grads)
        for index in self._runner.needed_heads():
            if heads[index] is None:
                name = self._symbol.list_outputs()[index]
                raise MXNetError(f"backward: output {name!r} is not a loss, so out_grads must hold its gradient. Pass "
                                 f"an array of shape {self.outputs[index].shape}, or end the graph in sym.make_loss.")
        self._runner.backward(heads, keep)

    def _heads(self, out_grads):
        """Return the gradient of each output as an NDArray, or None for gradients that are ignored."""
        names = self._symbol.list_outputs()
        if out_grads is None:
            return [None] * len(names)
        if isinstance(out_grads, dict):
            unknown = [n for n in out_grads if n not in names]
            if unknown:
                raise ArgumentError(f"backward: there is no output {unknown[0]!r}; there are {listed(names)}."
                                    + nearest(unknown[0], names))
            out_grads = [out_grads.get(n) for n in names]
        grads = list(out_grads) if isinstance(out_grads, (list, tuple)) else [out_grads]
        heads = [None] * len(names)
        for index in self._runner.needed_heads():
            if index < len(grads) and grads[index] is not None:
                heads[index] = self._head(names[index], grads[index], self.outputs[index])
        return heads

    def _head(self, name, head, output):
        """Return the gradient of an output, on the output's device and in its dtype."""
        if not isinstance(head, NDArray):
            raise ArgumentError(f"backward: the gradient of {name!r} must be an NDArray, found {type(head).__name__}")
        if head.shape != output.shape:
            raise ShapeError(f"backward: output {name!r} has shape {output.shape}, but its gradient in out_grads has "
                             f"shape {head.shape}")
        return head.as_in_context(output.context).astype(output.dtype, copy=False)

    # -- arrays -------------------------------------------------------------------------------------------------

    def copy_params_from(self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray] | None = None,
                         allow_extra_params: bool = False) -> None:
        """Copy values from {name: NDArray} to the bound arrays, converted to their types.

        arg_params, aux_params: values of arguments and of auxiliary states.
        allow_extra_params: whether to ignore names that are not bound.

        Raises ArgumentError for a name that is not bound (unless allow_extra_params), and ShapeError for a wrong shape.
        """
        for kind, params, bound in (("arguments", arg_params, self.arg_dict),
                                    ("auxiliary states", aux_params or {}, self.aux_dict)):
            for name, value in params.items():
                if name in bound:
                    if value.shape != bound[name].shape:
                        raise ShapeError(f"copy_params_from: {name!r} was bound with shape {bound[name].shape}, but "
                                         f"the given array has shape {value.shape}")
                    with autograd.pause():
                        bound[name][:] = value
                elif not allow_extra_params:
                    raise ArgumentError(f"copy_params_from: {name!r} is not among the {kind} of the graph, "
                                        f"{listed(bound, none='which has none')}.{nearest(name, bound)} Pass "
                                        "allow_extra_params=True to skip such arrays.")

    def reshape(self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any) -> Executor:
        """Return an executor for different argument shapes, which reuses memory that is large enough.

        kwargs: the new shapes. partial_shaping: whether the shapes of other arguments may also change. allow_up_sizing:
        whether to allocate memory for arrays that grow. Raises ArgumentError if one of these is needed but not allowed.
        """
        symbol = self._symbol
        args, grads, aux = reshaping.reshape_arrays(self, kwargs, partial_shaping, allow_up_sizing)
        other = Executor(symbol, self._ctx, args, grads, self._grad_req, aux, self._placement)
        other._watcher = self._watcher
        return other

    # -- monitoring ---------------------------------------------------------------------------------------------

    def set_monitor_callback(self, callback: Callable[..., Any], monitor_all: bool = False) -> None:
        """Call `callback(name, array)` for the outputs of every operator at each `forward`.

        After a `forward` for training, `backward` calls it for the gradients of every operator's inputs, named
        'fc_backward_output0', 'fc_backward_output1', ..., without an index if there is only one. monitor_all: whether
        to call it for the inputs as well. None removes the callback. While a callback is set, graphs run node by node.
        """
        self._watcher = None if callback is None else (callback, monitor_all)

    def debug_str(self) -> str:
        """Return the graph, node by node, and the memory planned for intermediate values and gradients."""
        return f"{self._symbol.debug_str()}Total {self._runner.planned_bytes() / 2 ** 20:.3g} MB allocated\n"

    def get_optimized_symbol(self) -> Any:
        """Return the simplified graph that is actually run."""
        return self._runner.optimized()

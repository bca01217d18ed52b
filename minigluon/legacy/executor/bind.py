"""Creation of an Executor from a symbol and arrays or shapes. All errors are detected here, before the executor runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import symbol as sym
from ...base import ArgumentError, ContextError, MXNetError, ShapeError, listed, nearest, repeated
from ...common.types import Contexts
from ...context import Context, current_context
from ...hybrid.differentiate import gradients_of
from ...ndarray import NDArray
from .executor import Executor
from .inference import infer_dtypes, infer_shapes
from .memory import Memory
from .placement import devices_of_variables, place
from .storage import storage_types

if TYPE_CHECKING:
    from ...symbol import Symbol

__all__ = ["bind", "evaluate", "gradient", "simple_bind"]

REQS = ("write", "add", "null")


def bind(symbol: Symbol, ctx: Contexts, args: Any, args_grad: Any, grad_req: Any, aux_states: Any,
         group2ctx: Any) -> Executor:
    """Implement `Symbol.bind`.

    symbol: the Symbol.
    ctx, args, args_grad, grad_req, aux_states, group2ctx: as in `Symbol.bind`.

    >>> executor = (sym.var("x") * 2).bind(mx.cpu(), {"x": nd.array([3])})
    >>> executor.forward()[0].item()
    6.0
    """
    _require_context(ctx)
    _require_names(symbol)
    placement = place(symbol, ctx, group2ctx)
    device_of = devices_of_variables(symbol, ctx, placement)
    arguments, states = symbol.list_arguments(), symbol.list_auxiliary_states()
    args = _by_position("args", args, arguments, device_of if placement is None else None)
    aux = _by_position("aux_states", aux_states, states, device_of)
    grads = _by_position("args_grad", args_grad, arguments, device_of, optional=True)
    for name, x, grad in zip(arguments, args, grads, strict=True):
        if grad is not None and grad.shape != x.shape:
            raise ShapeError(f"bind: argument {name!r} has shape {x.shape}, but its array in args_grad has shape "
                             f"{grad.shape}")
    return Executor(symbol, ctx, args, grads, reqs_by_name(grad_req, arguments, "bind"), aux, placement)


def simple_bind(symbol: Symbol, ctx: Contexts, grad_req: Any, type_dict: Any, stype_dict: Any, group2ctx: Any,
                shared_arg_names: Any, shared_exec: Any, shared_buffer: Any, shapes: Any) -> Executor:
    """Implement `Symbol.simple_bind`. shapes: all other keywords, of which only tuples and lists are used, as in MXNet.

    symbol: the Symbol.
    ctx, grad_req, type_dict, stype_dict, group2ctx: as in `Symbol.simple_bind`.
    shared_arg_names, shared_exec, shared_buffer: arrays that share memory, as in `Symbol.simple_bind`.

    >>> executor = (sym.var("x") * 2).simple_bind(mx.cpu(), x=(1,))
    >>> executor.forward(x=nd.array([3]))[0].item()
    6.0
    """
    _require_context(ctx)
    _require_names(symbol)
    placement = place(symbol, ctx, group2ctx)
    shapes = {name: shape for name, shape in shapes.items() if isinstance(shape, (tuple, list))}
    stypes, stypes_of_gradients = storage_types(symbol, stype_dict or {})
    arguments, states = symbol.list_arguments(), symbol.list_auxiliary_states()
    reqs = reqs_by_name(grad_req, arguments, "simple_bind")
    shapes = infer_shapes(symbol, shapes, "simple_bind")
    dtypes = infer_dtypes(symbol, type_dict or {})
    memory = Memory(devices_of_variables(symbol, ctx, placement), shared_exec, shared_arg_names, shared_buffer)
    args = [memory.argument(name, shapes[name], dtypes[name], stypes[name]) for name in arguments]
    aux = [memory.state(name, shapes[name], dtypes[name]) for name in states]
    grads = [None if reqs[name] == "null" else
             memory.gradient(name, shapes[name], dtypes[name], stypes_of_gradients[name]) for name in arguments]
    return Executor(symbol, ctx, args, grads, reqs, aux, placement)


def evaluate(symbol: Symbol, ctx: Contexts, arrays: Any) -> list[NDArray]:
    """Implement `Symbol.eval`: arguments and auxiliary states by name.

    symbol: the Symbol.
    ctx: the device; the current one if None.
    arrays: {name: NDArray}.

    >>> mx.executor.evaluate(sym.var("x") * 2, mx.cpu(), {"x": nd.array([3])})[0].item()
    6.0
    """
    ctx = current_context() if ctx is None else ctx
    executor = bind(symbol, ctx, arrays, None, "null", arrays, None)
    return executor.forward()


def gradient(symbol: Symbol, wrt: Any) -> Any:
    """Implement `Symbol.gradient`: return the gradients of the sum of all outputs, as a symbol with one output per
    name.

    wrt: the names.

    >>> square = sym.square(sym.var("x"))
    >>> mx.executor.gradient(square, ["x"]).eval(x=nd.array([3]))[0].item()
    6.0
    """
    names = [wrt] if isinstance(wrt, str) else list(wrt)
    variables = {node.name: node for node in symbol.nodes() if node.op is None}
    for name in names:
        if name not in variables:
            raise ArgumentError(f"gradient: the symbol has no input {name!r}; its inputs are "
                                f"{listed(variables)}.{nearest(name, variables)}")
    nodes = [variables[name] for name in names]
    grads, heads = gradients_of(symbol, nodes)
    grads = [sym.zeros_like(sym.Symbol([(node, 0)])) if grad is None else grad
             for node, grad in zip(nodes, grads, strict=True)]
    ones = {head.name: sym.ones_like(output) for head, output in zip(heads, symbol, strict=True)}
    group = sym.Group(grads)
    used = set(group.list_inputs())
    return group(**{name: one for name, one in ones.items() if name in used})


# -- checks ---------------------------------------------------------------------------------------------------------


def _require_context(ctx):
    if not isinstance(ctx, Context):
        raise ArgumentError(f"ctx must be a Context such as mx.cpu(), found {type(ctx).__name__} {ctx!r}")


def _require_names(symbol):
    """Raise MXNetError for ambiguous names, because arrays are passed by name."""
    twice = repeated(symbol.list_inputs())
    if twice is not None:
        raise MXNetError(f"the graph has two variables called {twice!r}. Use one sym.var for both, or two names.")


def _by_position(kind, arrays, names, device_of, optional=False):
    """Return the arrays in the order of `names`, from a list or a dict, with None for missing optional arrays.

    device_of: {name: the device that the array must be on}, or None to copy values from any device.
    """
    if arrays is None:
        arrays = {}
    if isinstance(arrays, (list, tuple)):
        if len(arrays) != len(names):
            raise ArgumentError(f"bind: {kind} has {len(arrays)} arrays, expected {len(names)}: "
                                f"{listed(names)}")
        arrays = dict(zip(names, arrays, strict=True))
    elif not isinstance(arrays, dict):
        raise ArgumentError(f"bind: {kind} must be a list of NDArrays or a dict from names to NDArrays, found "
                            f"{type(arrays).__name__}")
    missing = [n for n in names if arrays.get(n) is None]
    if missing and not optional:
        near = nearest(missing[0], [n for n in arrays if n not in names])
        raise ArgumentError(f"bind: {kind} lacks {listed(missing)}; the graph needs {listed(names)}.{near}")
    for name in names:
        x = arrays.get(name)
        if x is not None and not isinstance(x, NDArray):
            raise ArgumentError(f"bind: {name!r} in {kind} must be an NDArray, found {type(x).__name__}. Convert it "
                                "with nd.array(...).")
        ctx = None if device_of is None else device_of[name]
        if x is not None and ctx not in (None, x.context):
            raise ContextError(f"bind: {name!r} in {kind} is on {x.context}, but the graph is bound to {ctx}. Move it "
                               f"with .as_in_context({ctx}).")
    return [arrays.get(n) for n in names]


def reqs_by_name(grad_req: str, arguments: Sequence[str],
                 caller: str) -> dict[str, Any]:
    """Return {argument: 'write', 'add' or 'null'} from a string, a list, or a dict ('null' for missing names)."""
    if isinstance(grad_req, str):
        reqs = dict.fromkeys(arguments, grad_req)
    elif isinstance(grad_req, (list, tuple)):
        if len(grad_req) != len(arguments):
            raise ArgumentError(f"{caller}: grad_req has {len(grad_req)} entries, expected {len(arguments)}: "
                                f"{listed(arguments)}")
        reqs = dict(zip(arguments, grad_req, strict=True))
    elif isinstance(grad_req, dict):
        reqs = {name: grad_req.get(name, "null") for name in arguments}
    else:
        raise ArgumentError(f"{caller}: grad_req must be a string, a list or a dict, found {type(grad_req).__name__}")
    for name, req in reqs.items():
        if req not in REQS:
            raise ArgumentError(f"{caller}: grad_req of {name!r} is {req!r}, expected one of 'write', 'add', 'null'")
    return reqs

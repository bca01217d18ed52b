"""HybridBlock: a block whose `hybrid_forward(F, x)` runs on arrays (F=nd) and on symbols (F=sym)."""

from __future__ import annotations

import inspect
import threading
import warnings
import weakref
from typing import Any, overload

from .. import autograd, symbol
from .. import ndarray as nd
from ..base import ArgumentError, CallError, ContextError, MXNetError, ShapeError, nearest
from ..common.nest import flatten
from ..common.types import DType
from ..diagnostics.strictness import refuse
from ..hybrid import FLAGS as _FLAGS
from ..hybrid.budget import saving
from ..hybrid.registered_passes import check_registered, is_registered
from ..ndarray.ndarray import NDArray
from ..providers import ask
from ..symbol import Symbol, infer
from ..tape import state as _state
from . import versions
from .block import Block, Hook, nested_too_deeply
from .block_graph import BlockGraph
from .export import example_arguments, export
from .hooks import HookHandle
from .parameter import DeferredInitializationError
from .tracing import trace

__all__ = ["HybridBlock"]

MAX_GRAPHS = 256        # a program with ever new numbers as arguments starts over when it has so many


class HybridBlock(Block):
    """A block that can be traced: `hybridize` makes it a graph, which runs faster, and `export` writes that down.

    Subclasses write `hybrid_forward(self, F, x, *args, **params)`: F is `nd` or `sym`, and every parameter that was
    set as an attribute arrives as a keyword argument of that name. Its parameters are those of Block.

    >>> class Scale(gluon.HybridBlock):
    ...     def __init__(self, **kwargs):
    ...         super().__init__(**kwargs)
    ...         self.factor = self.params.get("factor", shape=(1,), init=init.Constant(3))
    ...     def hybrid_forward(self, F, x, factor):
    ...         return F.broadcast_mul(x, factor)
    >>> net = Scale()
    >>> net.initialize()
    >>> net.hybridize()
    >>> net(nd.array([1, 2])).asnumpy().tolist()
    [3.0, 6.0]
    >>> net(sym.var("x")).list_arguments()              # the same code on a symbol
    ['x', 'scale0_factor']
    """

    _active = False         # hybridized?
    _flags = {}             # what hybridize() was given
    _op_hook = None         # (callback, monitor_all) of `register_op_hook`
    _hosts = {}             # id -> whose graphs it is part of, see `add_graph_host`
    _graphs = {}            # (train mode, structure of the arguments) -> BlockGraph

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """What the block computes, written with the functions of F; a subclass writes it.

        F: `nd` where x is an array, `sym` where it is a symbol.
        x, args: what the block is called with.
        kwargs: the block's own parameters, under the names of their attributes.
        """
        raise NotImplementedError(f"{type(self).__name__} has no hybrid_forward method. "
                                  "Write `def hybrid_forward(self, F, x):`.")

    @overload           # as in Block
    def __call__(self, x: NDArray, /) -> NDArray: ...
    @overload
    def __call__(self, x: Symbol, /) -> Symbol: ...
    @overload
    def __call__(self, x: Any, *args: Any) -> Any: ...
    def __call__(self, x: Any, *args: Any) -> Any:
        """Run forward, with the hooks around it."""
        if args or self._forward_hooks or self._forward_pre_hooks:
            return super().__call__(x, *args)
        if not self.was_called:
            self.was_called = True
        try:
            return self.forward(x)      # the common call, written out: it saves *args twice, some 25 ns
        except RecursionError:
            raise nested_too_deeply(self) from None

    def _forward_plainly(self, x, *args):
        """What `forward` does, without what makes it fast. Tests compare the two; read this one first."""
        if not isinstance(x, NDArray):
            return self._forward_others(x, args)
        if self._active:
            return self._run_graph(x, args)
        try:
            return self.hybrid_forward(nd, x, *args, **self._find_params(x.context, (x, *args)))
        except ShapeError as error:
            self._name_parameter(error)
            raise
        except TypeError:
            self._check_call((x, *args))
            raise

    def forward(self, x: Any, *args: Any) -> Any:
        """Run `hybrid_forward` with F=nd on arrays, with F=sym on symbols.

        It is `_forward_plainly`, in 900 ns instead of 1,750 for a block of two parameters that computes nothing, and in
        450 instead of 1,250 without parameters. It takes the parameters' arrays from a dict, without asking each
        whether it is initialized and where it is, and has a shorter way for a block without parameters.
        """
        if x.__class__ is not NDArray:
            return self._forward_others(x, args)
        if self._active:
            return self._run_graph(x, args)
        if not self._reg_params:
            try:
                return self.hybrid_forward(nd, x, *args) if args else self.hybrid_forward(nd, x)
            except TypeError:
                self._check_call((x, *args))
                raise
        if versions.scopes:
            return self._forward_plainly(x, *args)
        ctx, params = x.device, {}
        try:
            for key, p in self._reg_params.items():     # a comprehension is a call, which this is too short for
                params[key] = p._plain[ctx]
        except (TypeError, KeyError):           # no value yet, none on this device, or one that is computed
            params = None
        try:
            if params is None:      # not inside the handler, so that errors are not chained to the one handled there
                params = self._find_params(ctx, (x, *args))
            return self.hybrid_forward(nd, x, *args, **params)
        except ShapeError as error:
            self._name_parameter(error)
            raise
        except TypeError:
            self._check_call((x, *args))
            raise

    def _check_call(self, args):
        """Raise CallError where `hybrid_forward` does not take `args` and the parameters, or takes no such mixture."""
        self._refuse_mixture(args)
        signature = inspect.signature(self.hybrid_forward)
        try:
            signature.bind(nd, *args, **self._reg_params)
        except TypeError as mismatch:
            parameters = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
            plain = inspect.Signature(parameters)
            raise CallError(
                f"{type(self).__name__} {self.name!r}: hybrid_forward{plain} is called with F, inputs: "
                f"{len(args)}, parameters: {', '.join(self._reg_params) or 'none'}, but {mismatch}. F comes first, "
                "then the inputs, then each parameter under the name of its attribute.") from None

    def _forward_others(self, x, args):
        """`forward` where x is a symbol, or not an array itself but a list of arrays."""
        self._refuse_mixture((x, *args))
        first = next((a for a in flatten((x, *args))[0] if isinstance(a, (NDArray, symbol.Symbol))), None)
        if isinstance(first, NDArray):
            if self._active:
                return self._run_graph(x, args)
            return self.hybrid_forward(nd, x, *args, **self._find_params(first.context, (x, *args)))
        if not isinstance(first, symbol.Symbol):
            raise ArgumentError(f"{type(self).__name__} {self.name!r} takes NDArrays or Symbols, found "
                                f"{type(x).__name__}. Convert it with nd.array(...).")
        return self._trace((x, *args))

    def _call_with_hooks(self, args):
        """Call the hooks with arrays only: a trace with symbols, as for shape inference, does not reach them."""
        if any(isinstance(a, symbol.Symbol) for a in args):
            return self.forward(*args)
        return super()._call_with_hooks(args)

    def _find_params(self, ctx, args):
        """{attribute: array on ctx}, after deferred initialization where that is due."""
        if not all(p.is_initialized for p in self._reg_params.values()):
            try:
                return {key: p.data(ctx) for key, p in self._reg_params.items()}
            except DeferredInitializationError:
                pass            # what follows is not inside the handler, so that its errors are not chained to this one
            self._finish_deferred(args, self._reg_params.values())
        for param in self._reg_params.values():
            if ctx not in versions.seen(param):
                raise self._elsewhere(param, ctx, args)
        return {key: p.data(ctx) for key, p in self._reg_params.items()}

    def _elsewhere(self, param, ctx, args):
        """The error for a parameter that is not where the input is."""
        contexts = param.list_ctx()
        shape = next(a.shape for a in flatten(args)[0] if a is not None)
        return ContextError(
            f"{type(self).__name__} {self.name!r}: the input of shape {shape} is on {ctx}, but parameter "
            f"{param.name!r} of shape {param.shape} is on {', '.join(map(str, contexts))}. Move the input with "
            f".as_in_context({contexts[0]}), or the parameters with net.collect_params().reset_ctx({ctx}).")

    def _name_parameter(self, error, param=None):
        """Tell which parameter a shape error is about, and what to do. The innermost block knows best."""
        param = self._reg_params.get(error.argument) if param is None else param
        if param is not None and not any(line.startswith("parameter:") for line in error.details):
            error.add(f"parameter: {param.name!r} of {type(self).__name__} {self.name!r} has shape {param.shape}, "
                      "fixed when the block was made or at its first forward pass")
            error.remedy = error.remedy or ("feed inputs of the same size as then, or make a new block; "
                                            "initialize(force_reinit=True) keeps the shape")

    # -- deferred initialization --------------------------------------------------------------------------------

    def infer_shape(self, *args: Any) -> None:
        """Fill in the unknown shapes of all parameters from example inputs, by tracing with symbols.

        args: what the block is called with, as arrays or symbols.

        What does not follow from the inputs stays unknown.

        >>> layer = nn.Dense(4)
        >>> layer.infer_shape(nd.ones((5, 3)))
        >>> layer.weight.shape
        (4, 3)
        """
        self._infer(infer.infer_shapes, "shape", args)

    def infer_type(self, *args: Any) -> None:
        """Set the element types of all parameters from example inputs.

        args: as in `infer_shape`.

        >>> layer = nn.Dense(4, dtype="float64")
        >>> layer.infer_type(nd.ones((5, 3), dtype="float64"))
        >>> layer.weight.dtype
        <class 'numpy.float64'>
        """
        self._infer(infer.infer_dtypes, "dtype", args)

    def _infer(self, infer_all, attribute, args, traced=None):
        """Let the operators' rules complete what they can. traced: the block's Trace for args, if there is one."""
        traced = traced or self._trace_for(args)
        nodes = traced.outputs.nodes()
        variables = [node for node in nodes if node.op is None]
        used = {node.name for node in variables}
        known = {n: getattr(x, attribute) for n, x in zip(traced.inputs, flatten(args)[0], strict=True) if n in used}
        inferred = infer_all(nodes, known)
        found = {node.name: inferred[node, 0] for node in variables}
        for param in self.collect_params().values():
            if found.get(param.name) is not None:
                setattr(param, attribute, found[param.name])

    def _trace_for(self, args):
        """The Trace for arguments such as `args`."""
        return trace(self, args)

    def _trace(self, args):
        with self.name_scope():
            params = {key: p.var() for key, p in self._reg_params.items()}
            try:
                return self.hybrid_forward(symbol, *args, **params)
            except TypeError:
                self._check_call(args)
                raise

    def _finish_deferred(self, args, params=None, traced=None):
        """Make those of `params`, all if None, that had to wait for arguments such as these; traced as in `_infer`."""
        with _initializing:         # threads that run a new net at once find its parameters made by the first of them
            if traced is None or type(self).infer_shape is not HybridBlock.infer_shape:
                self.infer_shape(*args)
            else:
                self._infer(infer.infer_shapes, "shape", args, traced)
            for param in self.collect_params().values() if params is None else params:
                param._finish_deferred_init()

    # -- files --------------------------------------------------------------------------------------------------

    def export(self, path: str, epoch: int = 0, remove_amp_cast: bool = True) -> tuple[str, str]:
        """Write the graph to '<path>-symbol.json' and the parameters to '<path>-<epoch>.params', as 1.9.1 does.

        SymbolBlock.imports reads them, here and in MXNet. The inputs are called 'data', or 'data0', 'data1', ... when
        there are several. remove_amp_cast: leave out the conversions of automatic mixed precision. A crash leaves old
        files whole.

        Raises UninitializedError or DeferredInitializationError while a parameter has no value.

        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.export("dense", epoch=7)
        >>> gluon.SymbolBlock.imports("dense-symbol.json", ["data"], "dense-0007.params")(nd.ones((5, 3))).shape
        (5, 2)
        """
        export(self, self._trace_to_export(), path, epoch, remove_amp_cast)

    def export_onnx(self, path: str, *args: Any, dynamic: bool = True, **options: Any) -> str:
        """Write the block as an ONNX file for arguments such as `args`. Returns the path.

        dynamic: True leaves the length of axis 0 of each array open, as 'batch'; dynamic_input_shapes can say it
        otherwise. options: of `mx.onnx.export_model`, such as opset_version.

        Raises TranslationError that names all nodes without a form in ONNX, MXNetError where the package onnx is
        missing.

        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.export_onnx("dense.onnx", nd.ones((5, 3)))
        'dense.onnx'
        """
        return ask("onnx.exporter").export_block(self, path, args, dynamic, **options)

    def _trace_to_export(self):
        """A trace for prediction: one that ran, otherwise one for the arguments that `hybrid_forward` requires."""
        ran = next((graph.trace for graph in self._graphs.values() if False in graph.modes), None)
        if ran is None:
            with autograd.predict_mode():
                ran = self._trace_for(example_arguments(self))
        return ran

    # -- hybridize ----------------------------------------------------------------------------------------------

    def __setattr__(self, key: Any, value: Any) -> None:
        if isinstance(value, Block) and not isinstance(value, HybridBlock):
            self._refuse_child(value, key)
        super().__setattr__(key, value)

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Add a hybrid child."""
        if isinstance(block, Block) and not isinstance(block, HybridBlock):
            self._refuse_child(block, name)
        super().register_child(block, name)
        self._forget_graphs()

    def _refuse_child(self, block, key):
        raise ArgumentError(f"{type(self).__name__} {self.name!r} is a HybridBlock, so its children must be hybrid, "
                            f"but {key or 'the new child'} is a {type(block).__name__}, which is a plain Block. "
                            "Derive it from HybridBlock, or use Sequential instead of HybridSequential.")

    def hybridize(self, active: bool = True, backend: str | None = None, clear: bool = True, **kwargs: Any) -> None:
        """Run as a graph from now on: traced at the next call, and planned for each new shape.

        Traced anew for another nesting of the arguments, another value of an argument that is no array, and after a
        change to its children; for train mode only if `hybrid_forward` asks for it. Everything else that Python decides
        stays as it was at the trace. Call hybridize() again after changing an attribute that `hybrid_forward` reads.

        Accepted as in MXNet, and of no effect on results: static_alloc, static_shape (memory is always planned),
        inline_limit, forward_bulk_size, backward_bulk_size. active=False goes back to running imperatively.

        Two that MXNet does not have save memory in training; the backward pass then computes again what is not kept.
        memory: the most that a plan may take: bytes, or up to 1 a share of what it takes that keeps everything. As
            little as that asks for is computed again, the cheapest first. Warns where there is no such plan.
        recompute: True keeps as little as there is to keep.

        passes: names of passes of the program's own that plans are made with, see `minigluon.hybrid.register_pass`.
        backend: one such name more.

        >>> net = nn.HybridLambda(lambda F, x: print("traced") or x + 1)
        >>> net.hybridize()
        >>> net(nd.zeros((1,))).item(), net(nd.ones((1,))).item()          # Python runs once
        traced
        (1.0, 2.0)
        """
        kwargs = _check_flags(self, backend, kwargs)
        self._active = active
        self._flags = kwargs
        self.drop_graphs()
        super().hybridize(active, **kwargs)

    def activate(self) -> None:
        """Hybridize this block alone, and none of its children."""
        self._active = True
        self.drop_graphs()

    @property
    def block_graphs(self) -> Any:
        """{train mode, or what else decides: BlockGraph}, as calls have made them; a new dict when those are void."""
        return self._graphs

    @property
    def hybrid_flags(self) -> Any:
        """What `hybridize` was given besides `active`, as a dict."""
        return self._flags

    def graph_obstacle(self) -> Any:
        """Why a call of this block cannot be part of a larger graph, or None."""
        if not self._active:
            return super().graph_obstacle()
        if self._forward_hooks or self._forward_pre_hooks or self._op_hook is not None:
            return f"{type(self).__name__} {self.name!r} has hooks"
        return None

    def add_graph_host(self, host: Any) -> None:
        """Call `host.drop_graphs()` when a graph with this block or a part of it in it is void. Keeps no reference."""
        for block in _tree(self):
            block._hosts = weakref.WeakValueDictionary({**block._hosts, id(host): host})

    def drop_graphs(self) -> None:
        """Make the graphs anew when they are needed next."""
        self._graphs = {}

    def register_forward_pre_hook(self, hook: Hook) -> HookHandle:
        """Call `hook(block, inputs)` before each forward. Inside a hybridized block it does not run, with a warning."""
        self._forget_graphs()           # the next trace warns
        return super().register_forward_pre_hook(hook)

    def register_forward_hook(self, hook: Hook) -> HookHandle:
        """Call `hook(block, inputs, output)` after each forward. Inside a hybridized block it does not run, either."""
        self._forget_graphs()
        return super().register_forward_hook(hook)

    def register_op_hook(self, callback: Any, monitor_all: bool = False) -> None:
        """Call `callback(name, operator's name, array)` for the outputs of each operator, while hybridized.

        monitor_all: for the inputs, too. The graph then runs node by node. None removes the callback.

        >>> layer = nn.Dense(2, activation="relu", in_units=3)
        >>> layer.initialize()
        >>> layer.hybridize()
        >>> layer.register_op_hook(lambda name, op, array: print(name, op, array.shape))
        >>> out = layer(nd.ones((5, 3)))
        dense0_fwd_output FullyConnected (5, 2)
        dense0_relu_fwd_output Activation (5, 2)
        """
        super().register_op_hook(callback, monitor_all)
        self._op_hook = None if callback is None else (callback, monitor_all)

    def optimize_for(self, x: Any, *args: Any, backend: str | None = None, clear: bool = False, **kwargs: Any) -> Any:
        """Hybridize, and find the shapes of parameters from example inputs, without a forward pass.

        x, args: what the block is called with.
        backend: a pass of the program's own, see `minigluon.hybrid.register_pass`. In MXNet it is also a library that
            takes parts of the graph; there is none here, as a warning says.
        clear, kwargs: those of `hybridize`. Options of a backend, which kwargs has as well, are ignored.

        >>> import warnings
        >>> layer = nn.Dense(2)
        >>> layer.initialize()
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     layer.optimize_for(nd.ones((5, 3)), backend="TensorRT")
        >>> layer.weight.shape, len(caught)
        ((2, 3), 1)
        """
        if not backend:
            raise ArgumentError(f"{type(self).__name__} {self.name!r}: optimize_for needs the name of a backend. To "
                                "optimize the graph for the device that it runs on, call hybridize().")
        if not is_registered(backend):
            warnings.warn(f"optimize_for(backend={backend!r}): minigluon has no backends that take parts of a graph "
                          "(such as TensorRT, oneDNN or extension libraries). The block is hybridized, with the same "
                          "results.", stacklevel=2)
            backend = None
        self.hybridize(True, backend, clear, **{key: value for key, value in kwargs.items() if key in _FLAGS})
        self._finish_deferred((x, *args))

    def _run_graph(self, x, args):
        """Run the graph for these arguments."""
        if args or x.__class__ is not NDArray:
            leaves, structure = flatten((x, *args))
            data = [leaf for leaf in leaves if isinstance(leaf, NDArray)]
            constants = tuple([leaf.__class__ is not NDArray and _constant(leaf) for leaf in leaves])
            key = _state.training, structure, constants
        else:
            data, key = (x,), _state.training
        try:
            graph = self._graphs.get(key)
        except TypeError:
            raise self._untraceable(leaves) from None
        if graph is None:
            graph = self._make_graph((x, *args), key)
        try:
            if self._op_hook is not None:
                return graph.watched(data, (x, *args), *self._op_hook)
            return graph.run(data, (x, *args))
        except ShapeError as error:
            param = graph.find_parameter(error)
            owner = param is not None and param._owner and param._owner()
            (owner or self)._name_parameter(error, param)
            raise

    def _untraceable(self, leaves):
        found = next(leaf for leaf in leaves if leaf.__class__.__hash__ is None)
        return ArgumentError(
            f"{type(self).__name__} {self.name!r}: an argument is the {type(found).__name__} {found!r}. A hybridized "
            "block is traced once for each value of an argument that is no array, so that must be None, a number, a "
            "string or something else that can be a key. Make it an NDArray if it changes from call to call.")

    def _refuse_mixture(self, args):
        """Raise ArgumentError where there are arrays and symbols among the arguments."""
        leaves = flatten(args)[0]
        if any(isinstance(a, symbol.Symbol) for a in leaves) and any(isinstance(a, NDArray) for a in leaves):
            raise ArgumentError(f"{type(self).__name__} {self.name!r}: the arguments are NDArrays as well as Symbols. "
                                "Give it arrays to compute, or symbols to write down a graph.")

    def _make_graph(self, args, key):
        self._refuse_mixture(args)
        graph = BlockGraph(self, args)
        self.add_graph_host(self)
        for block in _tree(self):
            if block is not self and (block._forward_hooks or block._forward_pre_hooks):
                warnings.warn(f"{type(block).__name__} {block.name!r} has hooks, which do not run while the block "
                              f"around it, {type(self).__name__} {self.name!r}, is hybridized: a graph does not call "
                              "its parts. Call hybridize(False) on that, or see register_op_hook.", stacklevel=5)
        if len(self._graphs) >= MAX_GRAPHS:
            self._graphs.clear()
        for mode in graph.modes:
            self._graphs[(mode, *key[1:]) if isinstance(key, tuple) else mode] = graph
        return graph

    def __getstate__(self) -> Any:
        """For copies and pickles: traces are made anew."""
        return {**self.__dict__, "_graphs": {}, "_hosts": {}}

    def cast(self, dtype: DType) -> None:
        """Convert the parameters, and trace anew."""
        super().cast(dtype)
        self._forget_graphs()

    def _forget_graphs(self):
        """Drop the graphs that this block is part of."""
        self.drop_graphs()
        for host in list(self._hosts.values()):
            host.drop_graphs()


def _tree(block):
    """The block and all that it consists of."""
    found = [block]
    for parent in found:
        found += parent._children.values()
    return found


def _constant(leaf):
    """The key for what is no dense array. It holds the type: 1, 1.0 and True are equal, but not the same."""
    return leaf.__class__, leaf.stype if isinstance(leaf, NDArray) else leaf


_initializing = threading.RLock()


def _check_flags(block, backend, flags):
    """The flags, checked, with the backend among their passes."""
    saving(flags)
    if backend is not None and not is_registered(backend):
        raise MXNetError(f"{type(block).__name__} {block.name!r}: hybridize(backend={backend!r}) is a library that "
                         "MXNet hands parts of a graph to, and minigluon has none. Leave backend out.")
    for name in flags:
        if name not in _FLAGS:
            refuse(ArgumentError(f"{type(block).__name__} {block.name!r}: hybridize has no argument {name!r}; it has "
                                 f"active, backend, clear, {', '.join(_FLAGS)}." + nearest(name, _FLAGS)))
    names = [*flags.get("passes", ()), *([backend] if backend is not None else ())]
    check_registered(names)
    return {**flags, "passes": names} if names else flags

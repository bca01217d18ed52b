"""Conversion of a trained network, by inserting `amp_cast` and `amp_multicast` into its graph where dtypes differ.

The pass visits the nodes in order and tracks whether each result is float32, has the narrow dtype, or is unknown.

    an operator      takes                                              returns
    of the target    the narrow type                                    the narrow type
    of float32       float32; likewise an excluded operator             float32
    of the widest    the narrow type, if all of them have it;           that type; unknown after amp_multicast
                     float32, if all are known; else amp_multicast
    else             any types                                          that of its inputs; unknown if they differ

Variables keep their dtype, float32, and the results of the graph are converted to float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base import ArgumentError
from ...common.docstrings import share_sentences
from ...common.dtypes import code_of, dtype_of
from ...gluon.hybrid_block import HybridBlock
from ...gluon.symbol_block import SymbolBlock
from ...legacy.module import BucketingModule
from ...symbol import Symbol, var
from ...symbol.graph import Node
from ...symbol.rewrite import Rewriter
from . import lists
from .casting import categories
from .nodes import cast_node, multicast_node

if TYPE_CHECKING:
    from ...context import Context
    from ...gluon.block import Block
    from ...ndarray import NDArray

__all__ = ["convert_bucketing_module", "convert_hybrid_block", "convert_model", "convert_symbol"]


def convert_symbol(sym: Symbol, target_dtype: str = "float16", target_dtype_ops: Sequence[str] | None = None,
                   fp32_ops: Sequence[str] | None = None,
                   conditional_fp32_ops: Sequence[tuple[str, str, Sequence[str]]] | None = None,
                   excluded_sym_names: Sequence[str] | None = None, data_names: Any = None,
                   cast_optional_params: bool = False) -> Symbol:
    """Return the graph with conversions, for inference in mixed precision.

    sym: a Symbol in float32.
    target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops: as in `amp.init`.
    excluded_sym_names: names of nodes that still compute in float32.
    data_names: names of the inputs that are not parameters; by default those without a declared dtype.
    cast_optional_params: whether to declare parameters that are read only by operators of the target dtype with this
        dtype, instead of inserting conversions.

    Raises ArgumentError for any other dtype, for anything other than a Symbol, and for an operator in two lists.

    >>> from minigluon.contrib import amp
    >>> graph = amp.convert_symbol(sym.softmax(sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")))
    >>> [node.op.name for node in graph.nodes() if node.op is not None]
    ['amp_cast', 'amp_cast', 'amp_cast', 'FullyConnected', 'amp_cast', 'softmax']
    """
    if not isinstance(sym, Symbol):
        raise ArgumentError(f"amp.convert_symbol takes a Symbol, found {type(sym).__name__}")
    if data_names is None:
        data_names = [node.name for node in sym.nodes() if node.op is None and node.dtype is None]
    target = lists.target_type(target_dtype)
    rules = categories(target, target_dtype_ops, fp32_ops, conditional_fp32_ops)
    return CastInsertion(sym, target, rules, set(excluded_sym_names or ()), set(data_names),
                         cast_optional_params).rewritten()


class CastInsertion(Rewriter):
    """Inserts casts. types: {output of the old graph: "float32", "target" or None}. kinds: {node: its rule}."""

    def __init__(self, sym, target, rules, excluded, data_names, cast_params):
        super().__init__(sym)
        self.target, self.rules, self.excluded, self.data_names = target, rules, excluded, data_names
        self.types, self.casts = {}, {}
        self.kinds = {node: self.kind(node) for node in self.nodes if node.op is not None}
        self.narrow_params = self.only_for_targets(self.kinds) if cast_params else set()

    def visit(self, node):
        """Return a variable with its new dtype, or a node with converted inputs."""
        if node.op is None:
            self.take_variable(node)
        else:
            self.take(node, self.kinds[node])

    def read(self, pair):
        """Return a result of the graph as float32."""
        return self.where[pair] if self.types[pair] == "float32" else self.conversion(pair, "float32")

    def kind(self, node):
        if node.name in self.excluded:
            return "float32"
        rule = self.rules.get(type(node.op))
        return rule and rule(node.op)

    def only_for_targets(self, kinds):
        """Return the parameters that can be declared narrow because all operators that read them would convert them."""
        users = {}
        for node, kind in kinds.items():
            for parent, _ in self.converted(node):
                users.setdefault(parent, set()).add(kind)
            for parent, _ in set(node.inputs) - set(self.converted(node)):
                users.setdefault(parent, set()).add(None)
        return {node for node, kinds_of_users in users.items()
                if node.op is None and node.name not in self.data_names and kinds_of_users == {"target"}}

    def converted(self, node):
        """Return the inputs to convert: all except those that the operator overwrites."""
        names = node.op.argument_names(len(node.inputs))
        return [pair for pair, name in zip(node.inputs, names, strict=True) if name not in node.op.mutates]

    def take_variable(self, node):
        attrs, dtype = dict(node.attrs), node.dtype
        if node.name not in self.data_names:
            dtype = self.target if node in self.narrow_params else np.dtype("float32")
            attrs["__dtype__"] = str(code_of(dtype))
        new = Node(None, node.name, (), attrs, node.shape, dtype)
        self.where[node, 0] = new, 0
        self.types[node, 0] = "target" if node in self.narrow_params else None

    def take(self, node, kind):
        converted = set(self.converted(node))
        if kind in ("target", "float32"):
            inputs = [self.cast(pair, kind) if pair in converted else self.where[pair] for pair in node.inputs]
            result = kind
        elif kind == "widest":
            inputs, result = self.widest(node)
        else:
            inputs, result = [self.where[pair] for pair in node.inputs], self.passed_on(node)
        new = node.with_inputs(inputs)
        for index in range(node.op.num_outputs):
            self.where[node, index], self.types[node, index] = (new, index), result

    def widest(self, node):
        types = {self.types[pair] for pair in node.inputs}
        if None in types and len(node.inputs) > 1:
            inputs = [self.where[pair] for pair in node.inputs]
            cast = multicast_node(inputs, f"{inputs[0][0].output_name(inputs[0][1])}_amp_multicast")
            return [(cast, index) for index in range(len(inputs))], None
        result = types.pop() if len(types) == 1 else "float32"
        return [self.where[pair] if result is None else self.cast(pair, result) for pair in node.inputs], result

    def passed_on(self, node):
        if node.op.name == "Cast":
            return {"float32": "float32", self.target.name: "target"}.get(node.op.dtype)
        types = {self.types[pair] for pair in node.inputs if pair[0].op is not None}
        return types.pop() if len(types) == 1 else None

    def cast(self, pair, kind):
        """Return an output converted for an operator; a float32 variable is used unchanged."""
        is_variable = pair[0].op is None and pair[0] not in self.narrow_params
        if self.types[pair] == kind or is_variable and kind == "float32":
            return self.where[pair]
        return self.conversion(pair, kind)

    def conversion(self, pair, kind):
        """Return a converted output, which all operators that read it share."""
        if (pair, kind) not in self.casts:
            node, index = self.where[pair]
            dtype = "float32" if kind == "float32" else self.target.name
            self.casts[pair, kind] = cast_node((node, index), dtype, f"{node.output_name(index)}_amp_cast_{dtype}")
        return self.casts[pair, kind], 0


def convert_model(sym: Symbol, arg_params: dict[str, NDArray], aux_params: dict[str, NDArray],
                  target_dtype: str = "float16", target_dtype_ops: Sequence[str] | None = None,
                  fp32_ops: Sequence[str] | None = None,
                  conditional_fp32_ops: Sequence[tuple[str, str, Sequence[str]]] | None = None,
                  excluded_sym_names: Sequence[str] | None = None,
                  cast_optional_params: bool = False) -> tuple[Any, ...]:
    """Return (graph, arguments, auxiliary states) for a network in mixed precision; see `convert_symbol`.

    arg_params, aux_params: {name: NDArray}. With cast_optional_params, some of the parameters and states are converted.

    >>> from minigluon.contrib import amp
    >>> graph = sym.FullyConnected(sym.var("data"), sym.var("weight"), num_hidden=1, no_bias=True)
    >>> graph, params, _ = amp.convert_model(graph, {"weight": nd.ones((1, 2))}, {}, cast_optional_params=True)
    >>> params["weight"].dtype.__name__
    'float16'
    """
    all_params = {**arg_params, **aux_params}
    data_names = [name for name in sym.list_inputs() if name not in all_params]
    graph = convert_symbol(sym, target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names,
                           data_names, cast_optional_params)
    types = declared_types(graph)
    return graph, *[{name: x.astype(types.get(name, x.dtype), copy=False) for name, x in params.items()}
                    for params in (arg_params, aux_params)]


def declared_types(graph: Any) -> dict[Any, np.dtype[Any] | None]:
    """Return {variable: its declared dtype}."""
    codes = {node.name: node.attrs.get("__dtype__", "-1") for node in graph.nodes() if node.op is None}
    return {name: dtype_of(int(code)) for name, code in codes.items() if code != "-1"}


def convert_hybrid_block(block: Block, target_dtype: str = "float16", target_dtype_ops: Sequence[str] | None = None,
                         fp32_ops: Sequence[str] | None = None,
                         conditional_fp32_ops: Sequence[tuple[str, str, Sequence[str]]] | None = None,
                         excluded_sym_names: Sequence[str] | None = None, ctx: Context | None = None,
                         cast_optional_params: bool = False) -> SymbolBlock:
    """Return a SymbolBlock that computes a HybridBlock in mixed precision; see `convert_symbol`.

    block: a HybridBlock that has run, hybridized or not.
    ctx: a device, or a list of devices, for its parameters; None keeps the block's own.

    >>> from minigluon.contrib import amp
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize(init.One())
    >>> amp.convert_hybrid_block(net)(nd.array([[1, 2, 3]])).asnumpy()
    array([[6., 6.]], dtype=float32)
    """
    if not isinstance(block, HybridBlock):
        raise ArgumentError(f"amp.convert_hybrid_block takes a HybridBlock, found {type(block).__name__}")
    trace, params = block._trace_to_export(), block.collect_params()
    graph = convert_symbol(trace.outputs, target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops,
                           excluded_sym_names, list(trace.inputs), cast_optional_params)
    converted = SymbolBlock(graph, [var(name) for name in trace.inputs])
    types = declared_types(graph)
    for name, param in converted.collect_params().items():
        value = params[name]._reduce()
        param.cast(types.get(name, value.dtype))
        param.shape = value.shape
        param.initialize(ctx=ctx or params[name].list_ctx())
        param.set_data(value.astype(param.dtype))
    converted.nest(trace.in_structure, trace.out_structure)
    return converted


def convert_bucketing_module(bucketing_mod: Any, target_dtype: str = "float16",
                             target_dtype_ops: Sequence[str] | None = None, fp32_ops: Sequence[str] | None = None,
                             conditional_fp32_ops: Sequence[tuple[str, str, Sequence[str]]] | None = None,
                             excluded_sym_names: Sequence[str] | None = None,
                             cast_optional_params: bool = False) -> Any:
    """Return a BucketingModule whose existing and future graphs are converted; see `convert_symbol`.

    `bind` it next.

    bucketing_mod: a BucketingModule whose parameters have values.

    Raises ArgumentError if they have none.

    >>> from minigluon.contrib import amp
    >>> def generate(length):
    ...     return sym.sum(sym.FullyConnected(sym.var("data"), num_hidden=1, flatten=False), axis=1), ["data"], []
    >>> module = mx.mod.BucketingModule(generate, default_bucket_key=2)
    >>> module.bind([("data", (1, 2, 3))], for_training=False)
    >>> module.init_params(init.One())
    >>> converted = amp.convert_bucketing_module(module)
    >>> converted.bind([("data", (1, 2, 3))], for_training=False)
    >>> converted.forward(mx.io.DataBatch([nd.ones((1, 2, 3))], bucket_key=2, provide_data=[("data", (1, 2, 3))]))
    >>> converted.get_outputs()[0].asnumpy()
    array([[6.]], dtype=float32)
    """
    if not isinstance(bucketing_mod, BucketingModule):
        raise ArgumentError("amp.convert_bucketing_module takes a BucketingModule, found "
                            f"{type(bucketing_mod).__name__}")
    if not bucketing_mod.params_initialized:
        raise ArgumentError("amp.convert_bucketing_module: the module has no parameters yet; call init_params first")
    params, of_module = bucketing_mod.get_params(), bucketing_mod._sym_gen

    def convert(graph):
        return convert_model(graph, *params, target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops,
                             excluded_sym_names, cast_optional_params)

    def generate(key):
        graph, data_names, label_names = of_module(key)
        return convert(graph)[0], data_names, label_names
    default = bucketing_mod._default_bucket_key
    _, *converted = convert(of_module(default)[0])
    return BucketingModule.load_dict({}, generate, default, *converted, **bucketing_mod._options)


share_sentences(convert_symbol, convert_model, convert_hybrid_block, convert_bucketing_module)

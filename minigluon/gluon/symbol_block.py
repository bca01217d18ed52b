"""SymbolBlock: a block created from a graph, for example one that `export` wrote to a file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .. import ndarray as nd
from .. import symbol
from ..base import ArgumentError, DTypeError, listed, nearest, repeated
from ..common.dtypes import as_dtype, is_narrow
from ..common.nest import flatten, regroup
from ..common.types import Contexts, DType
from ..diagnostics import strictness
from ..hybrid import interpret
from ..serialization.atomic_write import reading_together
from ..symbol.composition import compose_with
from .hybrid_block import HybridBlock
from .parameter_dict import ParameterDict
from .tracing import Trace, flatten_symbols

__all__ = ["SymbolBlock"]


class SymbolBlock(HybridBlock):
    """A block that computes `outputs` from `inputs`; the other variables of the graph are its parameters.

    outputs: a symbol or nested lists of symbols; calls return arrays with the same nesting.
    inputs: a variable or nested lists of variables, for the arguments of a call.
    params: a ParameterDict whose parameters with matching names are shared, as in a feature extractor:

    >>> net = nn.HybridSequential(prefix="net_")
    >>> with net.name_scope():
    ...     net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    >>> net.initialize()
    >>> inside = net(sym.var("data")).get_internals()
    >>> features = gluon.SymbolBlock(inside["net_dense0_relu_fwd_output"], sym.var("data"), net.collect_params())
    >>> features(nd.ones((5, 3))).shape
    (5, 4)

    Parameters have the names of the variables, without a prefix. Raises ArgumentError for anything other than symbols,
    and for an input that is computed by an operator.
    """

    def __init__(self, outputs: Any, inputs: Any, params: Any = None) -> None:
        super().__init__()
        if params is not None and not isinstance(params, ParameterDict):
            raise ArgumentError(f"SymbolBlock: params must be a ParameterDict such as net.collect_params(), found "
                                f"{type(params).__name__}")
        self._prefix = ""
        self._params = ParameterDict("", params)
        variables, in_structure = flatten_symbols(_in_list(inputs), "SymbolBlock: inputs holds")
        symbols, out_structure = flatten_symbols(_alone(outputs), "SymbolBlock: outputs holds")
        if not variables or not symbols:
            raise ArgumentError("SymbolBlock needs at least one input and one output")
        self._graphs = {}
        self._graph = Trace(_names(variables), symbol.Group(symbols), in_structure, out_structure)
        self._warn_of_unused()
        self._make_parameters(variables)

    @staticmethod
    def imports(symbol_file: Any, input_names: Any, param_file: Any = None, ctx: Contexts | None = None,
                allow_missing: bool = False, ignore_extra: bool = False) -> SymbolBlock:
        """Return the block described by a '-symbol.json' file, with the parameters in a '.params' file.

        symbol_file: the path of the file.
        input_names: names of the graph's inputs, a string or a list.
        param_file: the path of the parameter file; None leaves the parameters without values.
        ctx: the device for the parameters.
        allow_missing, ignore_extra: accept parameters missing from the file, and arrays that are not parameters.

        Raises FileFormatError for a damaged file, and MXNetError for a missing file or parameters that do not match.

        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.export("dense")
        >>> block = gluon.SymbolBlock.imports("dense-symbol.json", "data", "dense-0000.params")
        >>> bool((block(nd.ones((5, 3))) == net(nd.ones((5, 3)))).asnumpy().all())
        True
        """
        with reading_together(param_file, symbol_file):
            graph = symbol.load(symbol_file)
            names = [input_names] if isinstance(input_names, str) else input_names
            if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
                raise ArgumentError(f"SymbolBlock.imports: input_names must be a string or a list of strings, found "
                                    f"{input_names!r}")
            # The parameter file determines the dtypes; without a file, they are inferred from the inputs' default
            # dtype.
            dtype = np.float32 if param_file is None else None
            block = SymbolBlock(graph, [symbol.var(n, dtype=dtype) for n in names])
            if param_file is not None:
                block.collect_params().load(os.fspath(param_file), ctx, allow_missing, ignore_extra, cast_dtype=True,
                                            dtype_source="saved")
            return block

    @property
    def trace(self) -> Any:
        """The graph, the names of its inputs, and the nesting of arguments and results."""
        return self._graph

    def nest(self, in_structure: Any, out_structure: Any) -> None:
        """Change the nesting of arguments and results, but not their number; see `structure`.

        Raises ArgumentError if their number differs.
        """
        graph = self._graph
        for what, names, structure in (("inputs", graph.inputs, in_structure),
                                       ("outputs", graph.outputs, out_structure)):
            if _count_leaves(structure) != len(names):
                raise ArgumentError(f"SymbolBlock {self.name!r}: number of {what}: {len(names)}, but nested as "
                                    f"{_count_leaves(structure)}")
        self._graph = Trace(graph.inputs, graph.outputs, in_structure, out_structure)
        self._forget_graphs()

    def __repr__(self) -> str:
        graph = self._graph
        return f"{type(self).__name__}(\n{graph.outputs} : {len(graph.inputs)} -> {len(graph.outputs)}\n)"

    def _warn_of_unused(self):
        inputs = self._graph.outputs.list_inputs()
        for name in self._graph.inputs:
            if name not in inputs:
                strictness.warn(f"SymbolBlock: the input {name!r} is not used by the graph, whose variables are "
                                f"{listed(inputs)}.{nearest(name, inputs)}")

    def _make_parameters(self, inputs):
        """Create a parameter for every variable that is not an input, or use the one in the shared dict."""
        graph, names = self._graph.outputs, set(self._graph.inputs)
        dtypes = _dtypes(graph, inputs)
        auxiliary = set(graph.list_auxiliary_states())
        variables = {node.name: node for node in reversed(graph.nodes()) if node.op is None}
        for name in dict.fromkeys([*graph.list_arguments(), *graph.list_auxiliary_states()]):
            if name in names:
                continue
            shared = self._params._find(name)
            if shared is None:
                node = variables[name]
                param = self._params.get(name, allow_deferred_init=True, shape=node.shape, dtype=dtypes[name],
                                         grad_req="null" if name in auxiliary else "write")
                param._var = symbol.Symbol([(node, 0)])     # so that an enclosing graph keeps the node's attributes
            self._params[name]._set_owner(self)
        prefix = len(_common_prefix(self._params.keys()))
        self._reg_params = {key[prefix:]: param for key, param in self._params.items()}

    # -- running ------------------------------------------------------------------------------------------------

    def _trace_for(self, args):
        leaves, structure = flatten(args)
        graph = self._graph
        if structure != graph.in_structure or not all(isinstance(x, (nd.NDArray, symbol.Symbol)) for x in leaves):
            expected = _nested(graph.inputs, graph.in_structure)
            actual = _nested([type(x).__name__ for x in leaves], structure)
            raise ArgumentError(f"SymbolBlock {self.name!r} takes the arguments {expected}, found {actual}")
        return graph

    def _trace_to_export(self):
        return self._graph

    def _trace(self, args):
        return self.hybrid_forward(symbol, *args, **{key: p.var() for key, p in self._reg_params.items()})

    def forward(self, x: Any, *args: Any) -> Any:
        """Run the graph's plan on arrays, even if not hybridized; for symbols, return the graph with these inputs."""
        leaves = flatten((x, *args))[0]
        first = next((leaf for leaf in leaves if isinstance(leaf, nd.NDArray)), None)
        if first is not None:
            return first._to_own_class(self._run_graph(x, args))
        return self._trace((x, *args))

    def hybrid_forward(self, F: Any, /, *args: Any, **params: Any) -> Any:
        """Evaluate the graph node by node on arrays (F=nd) or symbols (F=sym)."""
        graph = self._trace_for(args)
        values = {self._reg_params[key].name: value for key, value in params.items()}
        values.update(zip(graph.inputs, flatten(args)[0], strict=True))
        if F is nd:
            return regroup(interpret(graph.outputs, values), graph.out_structure)
        used = {node.name: node for node in graph.outputs.nodes() if node.op is None}
        replacements = {name: s for name, s in values.items() if name in used and s.heads[0][0] is not used[name]}
        heads = compose_with(graph.outputs.heads, replacements)
        return regroup([symbol.Symbol([head]) for head in heads], graph.out_structure)

    def cast(self, dtype: DType) -> None:
        """Convert all parameters. BatchNorm's parameters stay float32 if the others become float16."""
        super().cast(dtype)
        if is_narrow(as_dtype(dtype)):
            for node in self._graph.outputs.nodes():
                if node.op is not None and node.op.name in _BATCH_NORMS:
                    for parent, _ in node.inputs[1:]:
                        if parent.name in self._params:
                            self._params[parent.name].cast("float32")

    def reset_ctx(self, ctx: Contexts) -> None:
        """Move the parameters to other devices.

        ctx: a device or a list of devices.

        >>> block = gluon.SymbolBlock(sym.var("x") * sym.var("w", shape=(1,)), sym.var("x"))
        >>> block.initialize()
        >>> block.reset_ctx(mx.cpu(1))
        >>> block.params["w"].list_ctx()
        [cpu(1)]
        """
        self.collect_params().reset_ctx(ctx)


_BATCH_NORMS = ("BatchNorm", "_contrib_BatchNormWithReLU", "_contrib_SyncBatchNorm")


def _in_list(inputs):
    return [inputs] if isinstance(inputs, symbol.Symbol) and len(inputs) == 1 else inputs


def _alone(outputs):
    """Return the symbol itself for a list that contains only one symbol."""
    return outputs[0] if isinstance(outputs, (list, tuple)) and len(outputs) == 1 else outputs


def _names(variables):
    for variable in variables:
        if variable.heads[0][0].op is not None:
            raise ArgumentError(f"SymbolBlock: the inputs must be variables, but {variable.list_outputs()[0]!r} is an "
                                "output of an operator")
    names = [variable.name for variable in variables]
    twice = repeated(names)
    if twice is not None:
        raise ArgumentError(f"SymbolBlock: two inputs are called {twice!r}; each needs a different name")
    return names


def _dtypes(graph, inputs):
    """Return {name of a variable: dtype}; float32 if the dtype cannot be inferred from the inputs and the graph."""
    declared = {v.name: v.heads[0][0].dtype for v in inputs if v.heads[0][0].dtype is not None}
    used = set(graph.list_arguments()) | set(graph.list_auxiliary_states())
    names = [*graph.list_arguments(), *graph.list_auxiliary_states()]
    try:
        arguments, _, auxiliary = graph.infer_type(**{name: t for name, t in declared.items() if name in used})
    except DTypeError:
        # As in MXNet, a parameter declares the dtype that it had when it first became part of a graph. Dtypes can
        # therefore conflict in an export if some layers were called before cast() and others are new.
        return dict.fromkeys(names, np.float32)
    return {name: dtype or np.float32 for name, dtype in zip(names, [*arguments, *auxiliary], strict=True)}


def _nested(leaves, structure):
    """Return 'data' or '(data0, (data1, data2))', for messages."""
    return _in_brackets(regroup(leaves, structure))


def _in_brackets(item):
    return f"({', '.join(map(_in_brackets, item))})" if isinstance(item, list) else str(item)


def _count_leaves(structure: Any) -> int:
    """Return the length of the flat list."""
    return 1 if structure is None else sum(map(_count_leaves, structure))


def _common_prefix(names):
    """Return the longest beginning that all names share: `os.path.commonprefix`, which Python 3.15 deprecates."""
    first, last = min(names, default=""), max(names, default="")
    return first[:next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]

"""Quantization of Gluon blocks."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import chain
from typing import Any

from ... import ndarray as nd
from ...base import ArgumentError
from ...common.docstrings import share_sentences
from ...context import Context
from ...gluon.hybrid_block import HybridBlock
from ...gluon.symbol_block import SymbolBlock
from ...symbol import Symbol, var
from .calibration import collect
from .data import batches_of
from .fusing import FuseLayers, FuseRanges
from .model import Params, calib_graph, quantize_graph

__all__ = ["quantize_net", "quantize_net_v2"]


def quantize_net_v2(network: HybridBlock, quantized_dtype: str = "auto", quantize_mode: str = "full",
                    quantize_granularity: str = "tensor-wise", exclude_layers: Sequence[str] | None = None,
                    exclude_layers_match: Sequence[str] | None = None, exclude_operators: Sequence[str] | None = None,
                    calib_data: Any = None, data_shapes: Any = None, calib_mode: str = "none",
                    num_calib_examples: int | None = None, ctx: Context | None = None,
                    LayerOutputCollector: Any = None, logger: Any = logging) -> SymbolBlock:
    """Return a SymbolBlock that computes a HybridBlock in 8-bit integers.

    network: a HybridBlock with parameters.
    exclude_layers, exclude_operators: names of nodes and of operators that stay in float32.
    exclude_layers_match: substrings; each node whose name contains one of them stays in float32.
    quantized_dtype, quantize_mode, quantize_granularity, calib_mode, num_calib_examples, ctx, logger: as for
        `quantize_model`.
    LayerOutputCollector: a collector to use instead of the one for calib_mode.
    data_shapes: the shapes of the inputs, as DataDesc or tuples, if the network has not run and there is no calib_data.

    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize(init.One())
    >>> data = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.array([[1, 2, 3], [0, 1, -1]])), batch_size=2)
    >>> small = mx.contrib.quantization.quantize_net_v2(net, calib_data=data, calib_mode="naive")
    >>> print(small(nd.array([[1, 2, 3]])).asnumpy().round(1))
    [[6. 6.]]
    """
    if not isinstance(network, HybridBlock):
        raise ArgumentError(f"quantize_net takes a HybridBlock, found {type(network).__name__}")
    if calib_mode != "none" and calib_data is None:
        raise ArgumentError(f"quantize_net: calib_mode={calib_mode!r} measures ranges on examples: pass calib_data, or "
                            "calib_mode='none'")
    if data_shapes is not None:
        network(*[nd.zeros(desc.shape if hasattr(desc, "shape") else desc) for desc in data_shapes])
    trace = network._trace_to_export()
    graph, names, values = trace.outputs, list(trace.inputs), values_of(network, ctx)
    excluded = [*(exclude_layers or ()), *matching(graph, exclude_layers_match or ())]
    auxiliary = set(graph.list_auxiliary_states())
    args, aux = ({n: x for n, x in values.items() if (n in auxiliary) is of_aux} for of_aux in (False, True))
    batches = batches_of(calib_data, names) if calib_data is not None else iter(())
    first = next(batches, None)
    fusing = FuseLayers(graph, excluded, exclude_operators or (), first and {n: x.shape for n, x in first.items()})
    together = graph if calib_mode == "none" else fusing.rewritten()
    qsym, args, aux, collector = quantize_graph(together, args, aux, ctx, excluded, exclude_operators,
                                                calib_mode, quantized_dtype, quantize_mode, quantize_granularity,
                                                LayerOutputCollector, logger)
    if calib_mode != "none":
        called = {pair: new[0].output_name(new[1]) for pair, new in fusing.where.items()}
        every = chain([first] if first else [], batches)
        collect(graph, values, collector, every, num_calib_examples, called)
        qsym, args, aux = calib_graph(qsym, args, aux, collector, calib_mode, quantized_dtype, logger)
        qsym = FuseRanges(qsym).rewritten()
    block = block_of(qsym, names, {**args, **aux}, ctx)
    block.nest(trace.in_structure, trace.out_structure)
    return block


def values_of(network: HybridBlock, ctx: Context | None) -> Params:
    """Return {name: array} of the parameters that have values."""
    return {name: p.data(ctx or p.list_ctx()[0]) for name, p in network.collect_params().items()}


def matching(graph: Symbol, parts: Sequence[str]) -> list[str]:
    """Return the names of nodes that contain any of the substrings."""
    return [node.name for node in graph.nodes() if node.op is not None and any(part in node.name for part in parts)]


def block_of(graph: Symbol, inputs: Sequence[str], values: Params, ctx: Context | None) -> SymbolBlock:
    """Return a SymbolBlock with parameter values. inputs: names of its arguments; values: {name: array}."""
    block = SymbolBlock(graph, [var(name) for name in inputs])
    for name, param in block.collect_params().items():
        value = values[name]
        param.grad_req = "null"
        param.cast(value.dtype)
        param.shape = value.shape
        param.initialize(ctx=ctx or value.ctx)
        param.set_data(value)
    return block


def quantize_net(network: HybridBlock, quantized_dtype: str = "auto", quantize_mode: str = "full",
                 exclude_layers: Sequence[str] | None = None, exclude_layers_match: Sequence[str] | None = None,
                 exclude_operators: Sequence[str] | None = None, calib_data: Any = None, data_shapes: Any = None,
                 calib_mode: str = "none", num_calib_examples: int | None = None, ctx: Context | None = None,
                 logger: Any = logging) -> SymbolBlock:
    """Return the result of `quantize_net_v2` with one range for each weight.

    quantized_dtype, quantize_mode, calib_mode, num_calib_examples, ctx, logger: as for `quantize_model`.

    >>> net = nn.Dense(1, in_units=2)
    >>> net.initialize(init.One())
    >>> print(mx.contrib.quantization.quantize_net(net)(nd.array([[1, 2]])).asnumpy().round(1))
    [[3.]]
    """
    return quantize_net_v2(network, quantized_dtype, quantize_mode, "tensor-wise", exclude_layers, exclude_layers_match,
                           exclude_operators, calib_data, data_shapes, calib_mode, num_calib_examples, ctx, None,
                           logger)


share_sentences(quantize_net_v2, quantize_net)

"""Quantization of a symbol with its parameters."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from ... import ndarray as nd
from ... import symbol as symbols
from ...base import ArgumentError
from ...common.docstrings import share_sentences
from ...context import Context
from ...symbol import Symbol
from .calibration import HistogramCollector, MinMaxCollector, collect, measured_outputs, optimal_thresholds, with_ranges
from .data import batches_of
from .graph import QuantizeGraph

__all__ = ["calib_graph", "quantize_graph", "quantize_model"]

Params = dict[str, Any]


def quantize_model(sym: Symbol | str, arg_params: Params, aux_params: Params, data_names: Sequence[str] = ("data",),
                   label_names: Sequence[str] | None = ("softmax_label",), ctx: Context | None = None,
                   excluded_sym_names: Sequence[str] | None = None, excluded_op_names: Sequence[str] | None = None,
                   calib_mode: str = "entropy", calib_data: Any = None, num_calib_examples: int | None = None,
                   quantized_dtype: str = "int8", quantize_mode: str = "smart",
                   quantize_granularity: str = "tensor-wise", logger: Any = logging
                   ) -> tuple[Symbol, Params, Params]:
    """Return (graph, arguments, auxiliary states) of the network converted to 8-bit integers.

    sym: a Symbol, or the path of its file.
    arg_params, aux_params: {name: NDArray}.
    data_names: the names of the inputs. label_names: the names of inputs that are labels; they are not needed.
    ctx: the device, which must be the CPU.
    excluded_sym_names, excluded_op_names: names of nodes and of operators that stay in float32.
    calib_mode: how ranges are determined. 'none': from each array when the network runs. 'naive': the smallest and
        largest value on examples. 'entropy': the threshold that loses the least information on examples.
    calib_data: the examples, a DataIter or a DataLoader. num_calib_examples: how many examples to use; all by default.
    quantized_dtype: 'int8', 'uint8', or 'auto', which is uint8 where the measured values are never negative.
    quantize_mode: 'full' quantizes every operator that can be quantized; 'smart' only convolutions, fully connected
        layers and the operators between them.
    quantize_granularity: 'tensor-wise', which is one range for each weight, or 'channel-wise', one for each row of the
        weight of a fused fully connected layer. Fused convolutions always have one for each filter, and layers that are
        not fused one for each weight.
    logger: a logger, or None.

    Raises ArgumentError for invalid values.

    >>> net = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    >>> params = {"fc_weight": nd.array([[1, 2], [3, 4]]), "fc_bias": nd.zeros(2)}
    >>> data = mx.io.NDArrayIter(nd.array([[1, -1]]))
    >>> graph, params, _ = mx.contrib.quantization.quantize_model(net, params, {}, calib_mode="naive", calib_data=data)
    >>> [node.op.name.removeprefix("_contrib_") for node in graph.nodes() if node.op is not None]
    ['quantize_v2', 'quantized_fully_connected', 'requantize', 'dequantize']
    """
    _require_examples(calib_mode, calib_data, num_calib_examples, "quantize_model")
    graph, params, aux, collector = quantize_graph(
        sym, arg_params, aux_params, ctx, excluded_sym_names, excluded_op_names, calib_mode, quantized_dtype,
        quantize_mode, quantize_granularity, None, logger)
    if calib_mode == "none":
        return graph, params, aux
    collect(loaded(sym), {**arg_params, **aux_params}, collector, batches_of(calib_data, data_names),
            num_calib_examples)
    return calib_graph(graph, params, aux, collector, calib_mode, quantized_dtype, logger)


def _require_examples(mode: str, data: Any, count: int | None, name: str) -> None:
    if mode != "none" and data is None:
        raise ArgumentError(f"{name}: calib_mode={mode!r} measures ranges on examples: pass calib_data, or "
                            "calib_mode='none'")
    if count is not None and count < 1:
        raise ArgumentError(f"{name}: num_calib_examples must be at least 1, found {count}")


def loaded(sym: Symbol | str) -> Symbol:
    """Return the Symbol `sym`, read from a file if `sym` is a path."""
    return symbols.load(sym) if isinstance(sym, str) else sym


def quantize_graph(sym: Symbol | str, arg_params: Params, aux_params: Params, ctx: Context | None = None,
                   excluded_sym_names: Sequence[str] | None = None, excluded_op_names: Sequence[str] | None = None,
                   calib_mode: str = "entropy", quantized_dtype: str = "int8", quantize_mode: str = "full",
                   quantize_granularity: str = "tensor-wise", LayerOutputCollector: Any = None,
                   logger: Any = logging) -> tuple[Symbol, Params, Params, Any]:
    """Return (graph, arguments, auxiliary states, collector) before calibration; `calib_graph` completes them.

    LayerOutputCollector: a collector to return instead of the one for calib_mode.

    >>> net = sym.FullyConnected(sym.var("data"), num_hidden=2, no_bias=True, name="fc")
    >>> quantize = mx.contrib.quantization.quantize_graph
    >>> _, params, _, collector = quantize(net, {"fc_weight": nd.array([[1, -2]])}, {}, calib_mode="naive")
    >>> params["fc_weight_quantize"].asnumpy(), type(collector).__name__
    (array([[  64, -127]], dtype=int8), 'MinMaxCollector')
    """
    for name, value, allowed in (("quantized_dtype", quantized_dtype, ("int8", "uint8", "auto")),
                                 ("calib_mode", calib_mode, ("none", "naive", "entropy", "customize")),
                                 ("quantize_mode", quantize_mode, ("full", "smart")),
                                 ("quantize_granularity", quantize_granularity, ("tensor-wise", "channel-wise"))):
        if value not in allowed:
            raise ArgumentError(f"quantization: {name} must be one of {', '.join(map(repr, allowed))}, found {value!r}")
    excluded_ops = [*(excluded_op_names or ()), *(["BatchNorm"] if calib_mode == "none" else [])]
    graph = QuantizeGraph(loaded(sym), quantized_dtype, {*arg_params, *aux_params}, excluded_sym_names or (),
                          excluded_ops, quantize_mode == "smart", quantize_granularity == "channel-wise").rewritten()
    collector = LayerOutputCollector
    if collector is None and calib_mode != "none":
        needed = measured_outputs(graph).__contains__
        collector = MinMaxCollector(quantized_dtype, needed) if calib_mode == "naive" else HistogramCollector(
            include_layer=needed)
    return graph, quantized_params(graph, arg_params), aux_params, collector


def quantized_params(graph: Symbol, params: Params) -> Params:
    """Return the arguments of a quantized graph: weights as integers with their range, and all others unchanged."""
    result = {}
    for name in graph.list_arguments():
        if name in params:
            result[name] = params[name]
        elif name.endswith("_quantize") and name.removesuffix("_quantize") in params:
            value = params[name.removesuffix("_quantize")]
            parts = nd.contrib.quantize(value, value.min(), value.max(), out_type="int8")
            result.update(zip((name, f"{name}_min", f"{name}_max"), parts, strict=True))
    for node in graph.nodes():      # quantized batch norm multiplies by gamma even if it is fixed, as in MXNet
        if node.op is not None and node.op.name == "_contrib_quantized_batch_norm" and node.op.fix_gamma:
            gamma = node.inputs[1][0].name
            result[gamma] = nd.ones_like(result[gamma])
    return result


def calib_graph(qsym: Symbol | str, arg_params: Params, aux_params: Params, collector: Any,
                calib_mode: str = "entropy", quantized_dtype: str = "int8", logger: Any = logging
                ) -> tuple[Symbol, Params, Params]:
    """Return (graph, arguments, auxiliary states) with the ranges that a collector has measured.

    qsym: the graph that `quantize_graph` returned, or the path of its file.
    collector: the collector that `quantize_graph` returned, after `collect` was called with arrays.

    >>> net = sym.FullyConnected(sym.var("data"), num_hidden=1, no_bias=True, name="fc")
    >>> q = mx.contrib.quantization
    >>> *parts, collector = q.quantize_graph(net, {"fc_weight": nd.ones((1, 2))}, {}, calib_mode="naive")
    >>> collector.collect("data", nd.array([-1, 2]))
    >>> graph, params, _ = q.calib_graph(*parts, collector, calib_mode="naive")
    >>> graph.attr_dict()["data_quantize"]["max_calib_range"]
    '2.000000'
    """
    if calib_mode == "entropy":
        ranges = optimal_thresholds(collector.hist_dict, quantized_dtype, logger=logger)
    elif calib_mode in ("naive", "customize"):
        ranges = collector.min_max_dict
    else:
        raise ArgumentError(f"calib_graph: calib_mode must be 'entropy', 'naive' or 'customize', found {calib_mode!r}")
    return with_ranges(loaded(qsym), ranges).rewritten(), arg_params, aux_params


share_sentences(quantize_model, quantize_graph, calib_graph)

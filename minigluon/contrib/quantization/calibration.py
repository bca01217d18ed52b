"""Measurement of ranges: a float32 graph runs on examples, and a collector receives the outputs of its layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ... import ndarray as nd
from ...base import ArgumentError
from ...ops import REGISTRY
from ...symbol.rewrite import Rewriter
from ...symbol.symbol import Symbol

__all__ = ["HistogramCollector", "MinMaxCollector", "collect", "measured_outputs", "optimal_thresholds", "with_ranges"]

Ranges = dict[str, tuple[float, float]]
BINS = 8001


def _finite(name: str, array: Any) -> Any:
    """Return the values in an array. Raises ArgumentError if some are not finite."""
    values = array.asnumpy()
    if not np.isfinite(values).all():
        raise ArgumentError(f"calibration: {name} has numbers that are not finite. Check the data and the network in "
                            "float32 first.")
    return values


class MinMaxCollector:
    """A collector of the smallest and largest value of each layer: `min_max_dict`.

    quantized_dtype: no effect. include_layer: a function that takes an output's name and returns whether to measure it;
    all by default. logger: a logger for a line about each layer.

    >>> collector = mx.contrib.quantization.MinMaxCollector()
    >>> collector.collect("fc_output", nd.array([-1, 3]))
    >>> collector.min_max_dict
    {'fc_output': (-1.0, 3.0)}
    """

    def __init__(self, quantized_dtype: str = "int8", include_layer: Callable[[str], bool] | None = None,
                 logger: Any = None):
        self.min_max_dict: Ranges = {}
        self.include_layer, self.logger = include_layer, logger

    def collect(self, name: str, array: Any) -> None:
        """Extend the range of a layer by one array. name: the output, such as 'conv0_output'. array: its values.

        >>> collector = mx.contrib.quantization.MinMaxCollector()
        >>> collector.collect("data", nd.array([1, 2]))
        """
        values = _finite(name, array)
        low, high = self.min_max_dict.get(name, (np.inf, -np.inf))
        self.min_max_dict[name] = min(low, float(values.min())), max(high, float(values.max()))
        if self.logger is not None:
            self.logger.debug("%s: %g to %g", name, *self.min_max_dict[name])


class HistogramCollector:
    """A collector of a histogram of each layer: `hist_dict`, {name: (counts, edges, min, max, threshold)}.

    num_bins: the number of bins of equal width around zero, which must be odd. include_layer, logger: as for
    `MinMaxCollector`.

    If a later array contains larger values, bins of the same width are added on both sides.

    >>> collector = mx.contrib.quantization.HistogramCollector(num_bins=3)
    >>> collector.collect("fc_output", nd.array([-1, 0, 1]))
    >>> collector.hist_dict["fc_output"][0].tolist()
    [1, 1, 1]
    """

    def __init__(self, num_bins: int = BINS, include_layer: Callable[[str], bool] | None = None, logger: Any = None):
        self.hist_dict: dict[str, Any] = {}
        self.num_bins, self.include_layer, self.logger = num_bins, include_layer, logger

    def collect(self, name: str, array: Any) -> None:
        """Add one array to the histogram of a layer. name: the output, such as 'conv0_output'. array: its values.

        >>> collector = mx.contrib.quantization.HistogramCollector()
        >>> collector.collect("data", nd.array([1, 2]))
        """
        values = _finite(name, array)
        low, high = values.min(), values.max()
        threshold = max(abs(low), abs(high))
        if name in self.hist_dict:
            self.hist_dict[name] = self._combined(self.hist_dict[name], values, low, high, threshold)
        else:
            counts, edges = np.histogram(values, self.num_bins, (-threshold, threshold))
            self.hist_dict[name] = counts, edges, low, high, threshold
        if self.logger is not None:
            self.logger.debug("%s: %g to %g", name, low, high)

    @staticmethod
    def _combined(old: Any, values: Any, low: Any, high: Any, threshold: Any) -> Any:
        """Return a histogram with more values added. old: the histogram; low, high, threshold: those of the values."""
        counts, edges, old_low, old_high, old_threshold = old
        if threshold > old_threshold and old_threshold > 0:
            width = 2 * old_threshold / len(counts)
            more = int((threshold - old_threshold) // width + 1)
            reach = more * width + old_threshold
            total, edges = np.histogram(values, len(counts) + 2 * more, (-reach, reach))
            total[more:len(counts) + more] += counts
            threshold = reach
        elif threshold > old_threshold:
            total, edges = np.histogram(values, len(counts), (-threshold, threshold))
            total[len(counts) // 2] += counts.sum()
        else:
            total, _ = np.histogram(values, len(counts), (-old_threshold, old_threshold))
            total, threshold = total + counts, old_threshold
        return total, edges, min(low, old_low), max(high, old_high), threshold


def optimal_thresholds(histograms: dict[str, Any], quantized_dtype: str = "int8", num_quantized_bins: int = 255,
                       logger: Any = None) -> Ranges:
    """Return {layer: (min, max)} with the smallest divergence; see `nd.contrib.calibrate_entropy`.

    histograms: the `hist_dict` of a `HistogramCollector`. quantized_dtype: with uint8 and auto, outputs that are never
    negative get twice as many integers. num_quantized_bins: the number of integers. logger: a logger for a line about
    each layer.
    """
    ranges = {}
    for name, (counts, edges, low, _, _) in histograms.items():
        positive = low >= 0 and quantized_dtype in ("auto", "uint8")
        bins = 2 * num_quantized_bins + 1 if positive else num_quantized_bins
        best, divergence = nd.contrib.calibrate_entropy(nd.array(counts, dtype="float32"),
                                                        nd.array(edges, dtype="float32"), num_quantized_bins=bins)
        threshold = best.asscalar()
        ranges[name] = (0.0 if positive else -threshold), threshold
        if logger is not None:
            logger.info("%s: threshold %g, divergence %g", name, threshold, divergence.asscalar())
    return ranges


def collect(symbol: Symbol, params: dict[str, Any], collector: Any, batches: Iterable[dict[str, Any]],
            most: int | None = None, names: Mapping[Any, str] | None = None) -> int:
    """Run a float32 graph on batches and pass each output to the collector. Return the number of examples.

    symbol: the graph. params: {name: array} of its parameters and states. batches: {input: array} for each batch.
    most: the number of examples after which to stop. names: {output: the name by which the collector calls it}, if it
    has another one than in the graph.
    """
    inside, names = symbol.get_internals(), names or {}
    called = {pair: names.get(pair) or pair[0].output_name(pair[1]) for pair in inside.heads
              if pair[1] < pair[0].num_visible_outputs}
    heads = [pair for pair, name in called.items() if collector.include_layer is None or collector.include_layer(name)]
    graph, seen = Symbol(heads), 0
    inputs = set(graph.list_inputs())
    for batch in batches:
        values = {name: value for name, value in {**params, **batch}.items() if name in inputs}
        missing = sorted(inputs - values.keys())
        if missing:
            raise ArgumentError(f"calibration: no values for {', '.join(missing)}; the data has {', '.join(batch)}")
        for pair, array in zip(heads, graph.eval(**values), strict=True):
            collector.collect(called[pair], array)
        seen += len(next(iter(batch.values())))
        if most is not None and seen >= most:
            break
    return seen


class with_ranges(Rewriter):
    """Writes measured ranges into the nodes that need them; `rewritten` returns the new graph.

    ranges: {output of the float32 graph: (min, max)}.
    """

    def __init__(self, graph: Symbol, ranges: Ranges):
        super().__init__(graph)
        self.ranges = ranges

    def replace(self, node: Any) -> Any:
        """Return the node with its range, if it has one."""
        new = super().replace(node)
        found = self.ranges.get(measured_by(node) or "")
        if found is None:
            return new
        # six digits, as in MXNet's files, so that the same file gives the same integers
        calib = dict(zip(("min_calib_range", "max_calib_range"), (f"{np.float32(x):.6f}" for x in found), strict=True))
        cls = REGISTRY[node.op.name]
        return type(node)(cls(**{**node.op.attributes, **calib}), node.name, new.inputs, {**node.attrs, **calib})


def measured_by(node: Any) -> str | None:
    """Return the output of the float32 graph whose range a node needs, or None."""
    if node.op is None:
        return None
    if node.op.name == "_contrib_quantize_v2":
        source, index = node.inputs[0]
        return source.output_name(index)
    prefix = {"_contrib_requantize": "requantize_", "_contrib_quantized_batch_norm": "quantized_"}.get(node.op.name)
    return None if prefix is None else node.name.removeprefix(prefix) + "_output"


def measured_outputs(graph: Symbol) -> set[str]:
    """Return the outputs of the float32 graph whose ranges a quantized graph needs."""
    return {name for name in map(measured_by, graph.nodes()) if name is not None}

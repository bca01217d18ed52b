"""Properties for some of the names in `private_names`: attributes of MXNet's classes that libraries read and set."""

from __future__ import annotations

from ... import symbol
from ...base import ArgumentError
from ...context import cpu

__all__ = [
    "bucketing_compression_params", "bucketing_context", "bucketing_fixed_param_names", "bucketing_group2ctxs",
    "bucketing_state_names", "bucketing_work_load_list", "cached_graph", "context_map", "contexts", "grad_stype",
    "h2h_bias", "h2h_weight", "i2h_bias", "i2h_weight", "meta_keys", "params_to_init", "stype"]


def _contexts(param):
    """Returns the contexts of a Parameter's arrays, or None if it has no arrays yet."""
    return None if param._data is None else list(param._data.keys())


def _keep(param, value):
    """Ignores the value, because a copy of a Parameter also has its arrays, and these determine the contexts."""


contexts = property(_contexts, _keep)


def _context_map(param):
    """Returns [GPUs, CPUs]: the index of the array for each device id, or None if there is no array for that device."""
    positions: list[list[int | None]] = [[], []]
    for position, ctx in enumerate(_contexts(param) or ()):
        places = positions[ctx.device_typeid & 1]
        places += [None] * (ctx.device_id + 1 - len(places))
        places[ctx.device_id] = position
    return None if param._data is None else positions


context_map = property(_context_map, _keep)


def _other_name(name):
    """Returns a property that is an alias of an attribute."""
    return property(lambda param: getattr(param, name), lambda param, value: setattr(param, name, value))


stype, grad_stype = _other_name("stype"), _other_name("grad_stype")


def _params_to_init(trainer):
    """Returns the Parameters whose values the store does not have yet; before the first step, these are all of them."""
    if not trainer._kv_initialized:
        return list(trainer._params)
    return [] if trainer._kvstore is None else [param for param in trainer._params if param._deferred is not None]


params_to_init = property(_params_to_init)


def _cached_graph(block):
    """Returns (symbols of the inputs, symbol of the outputs) of a hybridized block that has run, otherwise ()."""
    traces = [graph.trace for graph in block.block_graphs.values()] or [getattr(block, "trace", None)]
    trace = traces[-1]
    if trace is None:
        return ()
    return [symbol.var(name) for name in trace.inputs if name is not None], trace.outputs


def _set_cached_graph(block, value):
    if value:
        raise ArgumentError(f"{type(block).__name__} {block.name!r}: _cached_graph can be read, and reset by (), found "
                            "a graph. Make a block of a graph by gluon.SymbolBlock(outputs, inputs).")
    block._forget_graphs()


cached_graph = property(_cached_graph, _set_cached_graph)


def _cell_variable(group, part):
    """Returns a property for one of the symbols of a symbolic cell's weights and biases."""
    def replace(cell, value):
        pairs = [list(pair) for pair in cell._variables]
        pairs[group][part] = value
        cell._variables = [tuple(pair) for pair in pairs]
    return property(lambda cell: cell._variables[group][part], replace)


i2h_weight, i2h_bias = _cell_variable(0, 0), _cell_variable(0, 1)
h2h_weight, h2h_bias = _cell_variable(1, 0), _cell_variable(1, 1)


def _bucketing_option(name, default):
    """Returns a property for an option of a BucketingModule, with default() in place of None."""
    def read(module):
        value = module._options[name]
        return default() if value is None else value
    return property(read)


bucketing_context = _bucketing_option("context", cpu)
bucketing_fixed_param_names = _bucketing_option("fixed_param_names", list)
bucketing_state_names = _bucketing_option("state_names", list)
bucketing_compression_params, bucketing_group2ctxs, bucketing_work_load_list = (
    _bucketing_option(name, lambda: None) for name in ("compression_params", "group2ctxs", "work_load_list"))

meta_keys = property(lambda module: {module.META_TAKE_LABELS, module.META_AUTO_WIRING})

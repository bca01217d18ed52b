"""`amp.init`: every operator that a program calls in `nd` or `sym` first converts its inputs.

All operator calls go through one function, `invoke` for arrays and `symbol.compose` for symbols. `switch_on` replaces
these with functions that convert the inputs and then call them. As a result, calls have no extra cost while mixed
precision is off, and the graph of a hybridized network contains the conversions. Gradients use the same functions, but
with the dtypes of the forward pass, so nothing is converted while they are computed.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import tape
from ...base import ArgumentError, nearest
from ...common.dtypes import is_narrow
from ...hybrid import differentiate
from ...name import current as current_names
from ...ndarray import arithmetic, copying, register, shape_methods
from ...ndarray.imperative import invoke
from ...ndarray.ndarray import NDArray
from ...ops import REGISTRY
from ...symbol import register as symbol_register
from ...symbol import symbol
from ...symbol.graph import Node
from . import lists
from .nodes import cast_node, multicast_node

__all__ = ["categories", "is_on", "loss_scaler_for_trainer", "switch_off", "switch_on"]

_FLOAT32 = np.dtype("float32")
_plain_invoke, _plain_compose = invoke, symbol.compose

_replaced = []          # (module or class, name, original value)
_rules = {}             # class of an operator -> function(op): "target", "float32", "widest" or None
_losses = set()         # classes of output operators with a built-in loss
_settings = {"target": None, "make scaler": None, "scaler": None, "is given": False}


class _Gradients(threading.local):
    are_computed = False


_gradients = _Gradients()


def is_on() -> bool:
    """Return whether `amp.init` was called."""
    return bool(_replaced)


def switch_on(make_scaler, target_dtype, target_precision_ops=None, conditional_fp32_ops=None, fp32_ops=None):
    """Implement `amp.init`. make_scaler: creates the scaler for output operators with a built-in loss."""
    if is_on():
        return
    target = lists.target_type(target_dtype)
    _rules.update(categories(target, target_precision_ops, fp32_ops, conditional_fp32_ops))
    _losses.update(REGISTRY[name] for name in lists.list_loss_output_functions(target))
    _settings.update({"target": target, "make scaler": make_scaler})
    logging.info("Using AMP")
    sys.modules[__package__]._amp_initialized = True
    for owner, name, new in [
            *[(module, "invoke", _invoke) for module in (arithmetic, copying, register, shape_methods)],
            (symbol, "compose", _compose), (symbol_register, "compose", _compose),
            (tape, "gradients", _of_gradients(tape.gradients)),
            (differentiate._Gradients, "pass_on", _of_gradients(differentiate._Gradients.pass_on))]:
        _replaced.append((owner, name, getattr(owner, name)))
        setattr(owner, name, new)


def switch_off() -> None:
    """Undo `amp.init`, which MXNet cannot do; this is meant for tests and for comparisons in notebooks. Existing graphs
    do not change."""
    for owner, name, old in reversed(_replaced):
        setattr(owner, name, old)
    _replaced.clear()
    sys.modules[__package__]._amp_initialized = False
    _rules.clear()
    _losses.clear()
    _settings.update(target=None, scaler=None, **{"is given": False})


def categories(target: Any, target_ops: Any = None, fp32_ops: Sequence[str] | None = None,
               conditional_ops: Any = None) -> Any:
    """Return {class of an operator: function(op) -> "target", "float32", "widest" or None} from given or default lists.

    Raises ArgumentError for names that are not operators, and for a name in two lists.
    """
    target_ops = _listed("target_precision_ops", target_ops, lists.list_lp16_ops(target))
    fp32_ops = _listed("fp32_ops", fp32_ops, lists.list_fp32_ops(target))
    conditional_ops = lists.list_conditional_fp32_ops(target) if conditional_ops is None else conditional_ops
    rules = {_class(name): _always("widest") for name in lists.list_widest_type_cast(target)}
    conditional = {_class(name): (attribute, values) for name, attribute, values in conditional_ops}
    listed = {}
    for kind, classes in (("target", map(_class, target_ops)), ("float32", map(_class, fp32_ops)),
                          ("conditional", conditional)):
        for cls in classes:
            if listed.setdefault(cls, kind) != kind:
                raise ArgumentError(f"amp: {cls.name} is in two lists, as {listed[cls]} and {kind}")
    for cls, kind in listed.items():
        rules[cls] = _conditional(*conditional[cls]) if kind == "conditional" else _always(kind)
    return rules


def _listed(what, names, default):
    if names is None:
        return default
    if not isinstance(names, (list, tuple)):
        raise ArgumentError(f"amp: {what} is {names!r}, expected a list of names of operators")
    return names


def _class(name):
    if name not in REGISTRY:
        raise ArgumentError(f"amp: there is no operator {name!r}.{nearest(name, REGISTRY)}")
    return REGISTRY[name]


def _always(kind):
    return lambda op: kind


def _conditional(attribute, values):
    return lambda op: "float32" if str(op.attributes.get(attribute)) in values else None


# -- arrays -----------------------------------------------------------------------------------------------------------

def _invoke(op, inputs, out=None, hidden=False, cls=NDArray):
    """Convert the inputs and call `invoke`."""
    rule = _rules.get(op.__class__)
    kind = None if rule is None or _gradients.are_computed else rule(op)
    if kind is None:
        return _plain_invoke(op, inputs, out, hidden, cls)
    if kind == "widest":
        wide = _FLOAT32 if any(x.buffer.dtype == _FLOAT32 for x in inputs) else None
        inputs = inputs if wide is None else [_converted(x, wide, cls) for x in inputs]
    else:
        dtype = _FLOAT32 if kind == "float32" else _settings["target"]
        names = op.argument_names(len(inputs))
        inputs = [x if name in op.mutates else _converted(x, dtype, cls) for x, name in zip(inputs, names, strict=True)]
    if op.__class__ in _losses:
        op = type(op)(**{**op.attributes, "grad_scale": op.grad_scale * _scaler().loss_scale})
    return _plain_invoke(op, inputs, out, hidden, cls)


def _converted(x, dtype, cls):
    """Convert an array of float32 or a narrow dtype to another of these; leave others, such as indices, unchanged."""
    current = x.buffer.dtype
    if current == dtype or current != _FLOAT32 and not is_narrow(current):
        return x
    return _plain_invoke(REGISTRY["amp_cast"](dtype=dtype.name), (x,), None, False, cls)


# -- symbols ----------------------------------------------------------------------------------------------------------

def _compose(op, inputs, *args, **kwargs):
    """Call `symbol.compose`, and insert conversions between the inputs and the node."""
    composed = _plain_compose(op, inputs, *args, **kwargs)
    rule = _rules.get(op.__class__)
    kind = None if rule is None or _gradients.are_computed else rule(op)
    if kind is None:
        return composed
    if op.__class__ in _losses:
        logging.warning("%s does not support dynamic loss scaling in symbolic and hybridized execution.", op.name)
    node = composed.heads[0][0]
    new = Node(op, node.name, _pairs(node, kind), node.attrs)
    return composed.__class__([(new, index) for _, index in composed.heads])


def _pairs(node, kind):
    """Return the converted inputs of a node."""
    if kind == "widest":
        if len(node.inputs) < 2:
            return node.inputs
        cast = multicast_node(node.inputs, _name("amp_multicast"))
        return [(cast, index) for index in range(len(node.inputs))]
    dtype = "float32" if kind == "float32" else _settings["target"].name
    names = node.op.argument_names(len(node.inputs))
    return [pair if name in node.op.mutates else (cast_node(pair, dtype, _name("amp_cast")), 0)
            for pair, name in zip(node.inputs, names, strict=True)]


def _name(hint):
    return current_names().get(None, hint)


# -- gradients, and the scale of the loss -----------------------------------------------------------------------------

def _of_gradients(function):
    """Wrap a function that computes gradients so that no conversions happen during the call."""
    def run(*args, **kwargs):
        before, _gradients.are_computed = _gradients.are_computed, True
        try:
            return function(*args, **kwargs)
        finally:
            _gradients.are_computed = before
    return run


def _scaler():
    if _settings["scaler"] is None:
        _settings["scaler"] = _settings["make scaler"]()
    return _settings["scaler"]


def loss_scaler_for_trainer(make: Any) -> Any:
    """Return the scaler for output operators with a built-in loss to the first trainer, and a new one to any other."""
    if _settings["is given"]:
        return make()
    _settings["is given"] = True
    return _scaler()

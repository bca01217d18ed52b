"""The table of operators that have kernels."""

import inspect

from minigluon.ops import REGISTRY

__all__ = ["find", "kernel_for", "names_of", "prepared_operators"]

_table = {}         # name of the operator -> (function, names of what it takes besides op, inputs, outputs)


def kernel_for(*names):
    """Decorator: the function prepares the operators of these names (not aliases).

    function(op, inputs, outputs), with Specs, and with `train`, `rng` or `device` if it has parameters of these names,
    returns a Work, a text (the reason to decline), or a function of a list of buffers that allocates its results.
    """
    def enter(function):
        more = tuple(inspect.signature(function).parameters)[3:]
        for name in names:
            if name in _table:
                raise ValueError(f"operator {name} has two functions: {_table[name][0]} and {function}")
            _table[name] = function, more
        return function
    return enter


def names_of(base):
    """Names of the operators whose classes derive from `base`."""
    return sorted({cls.name for cls in REGISTRY.values() if issubclass(cls, base)})


def prepared_operators():
    """{name: function} of all operators that have kernels."""
    return {name: function for name, (function, _) in _table.items()}


def find(op, inputs, outputs, train, rng, device):
    """The Work for an operator on buffers of these Specs, or a text: why it has none."""
    if op.name not in _table:
        return "no kernel"
    function, more = _table[op.name]
    given = {"train": train, "rng": rng, "device": device}
    return function(op, inputs, outputs, **{name: given[name] for name in more})

"""Names of MXNet's with a leading underscore that published programs and libraries use: all of them, in this one place.

(And a name without one that MXNet's module has because it imports it.)

What a module keeps to itself is free to change. What is listed here is not: `KEPT` are names that this package's own
code has as well, with MXNet's meaning; `ALIASES` are there for those programs alone, and `put` gives them to their
modules and classes when minigluon is imported. A name is written as a program would, after `mx.`. Each row says who
uses it.
"""

import minigluon

from ..gluon import HybridBlock
from . import formats

__all__ = ["ALIASES", "KEPT", "put"]


def _as_list(x):
    """x itself if it is a list or a tuple, otherwise a list of it."""
    return x if isinstance(x, (list, tuple)) else [x]


# name: who uses it
KEPT = {
    "gluon.loss._apply_weighting": "losses of GluonCV, GluonNLP and GluonTS",
    "gluon.loss._reshape_like": "losses of GluonCV and GluonTS",
}

_EXPORTS = "GluonTS, for what it exports and imports again"

# name: (what it is here, who uses it)
ALIASES = {
    "base._as_list": (_as_list, "scripts of GluonNLP, MLPerf's ResNet"),
    "gluon.HybridBlock._clear_cached_op": (
        HybridBlock._forget_graphs,
        "GluonCV's detectors, after changing an attribute that `hybrid_forward` reads: set_nms(), reset_class()"),
    "gluon.HybridBlock._in_format": (formats.in_format, _EXPORTS),
    "gluon.HybridBlock._out_format": (formats.out_format, _EXPORTS),
    "gluon.SymbolBlock._in_format": (formats.in_format_to_set, _EXPORTS),
    "gluon.SymbolBlock._out_format": (formats.out_format_to_set, _EXPORTS),
    "gluon.block._flatten": (formats.flatten_with_format, _EXPORTS),
    "metric.ndarray": (minigluon.ndarray, "GluonTS's Trainer"),
}


def put():
    """Set each of ALIASES where programs look for it."""
    for name, (value, _) in ALIASES.items():
        *path, last = name.split(".")
        place = minigluon
        for part in path:
            place = getattr(place, part)
        setattr(place, last, value)

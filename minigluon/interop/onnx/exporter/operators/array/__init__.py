"""Operators that move elements: see `minigluon.ops.array`."""

from ...table import listed
from . import axes, convert, extending, indexing, joining, ordering, positions, sequence, shape, slicing, sources

__all__ = ["axes", "convert", "extending", "indexing", "joining", "ordering", "positions", "sequence", "shape",
           "slicing", "sources"]

listed("ONNX has no histogram", "_histogram")
listed("it says which gradients survive", "_last_writer")

"""A signpost for readers and type checkers: `mx.onnx` lives in interop/onnx, and homes.py leads there."""

from .interop.onnx import *

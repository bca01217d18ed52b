"""A pointer for readers and type checkers: `mx.onnx` is in interop/onnx, to which homes.py redirects."""

from .interop.onnx import *

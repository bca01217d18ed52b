"""A signpost for readers and type checkers: `mx.onnx` lives in interop/onnx, and homes.py sends imports there."""

from .interop.onnx import *

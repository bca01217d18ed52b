"""Stub for `from mxnet.contrib import quantization`, which raises an error with an alternative."""

from ..diagnostics.unsupported import refuse_import

refuse_import("quantization", "mxnet.contrib")

"""A stub for `from mxnet.contrib import quantization`, which raises an error that names an alternative."""

from ..diagnostics.unsupported import refuse_import

refuse_import("quantization", "mxnet.contrib")

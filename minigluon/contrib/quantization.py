"""`from mxnet.contrib import quantization` ends here, with a word on what to do instead."""

from ..diagnostics.unsupported import refuse_import

refuse_import("quantization", "mxnet.contrib")

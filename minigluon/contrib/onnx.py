"""`from mxnet.contrib import onnx` ends here, with a word on what to do instead."""

from ..absent import refuse_import

refuse_import("onnx", "mxnet.contrib")

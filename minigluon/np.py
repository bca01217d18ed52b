"""`from mxnet import np`, the first line of programs for mx.np, ends here, with a word on what to do instead."""

from .absent import refuse_import

refuse_import("np")

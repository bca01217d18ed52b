"""`from mxnet import npx`, the first line of programs for mx.np, ends here, with a word on what to do instead."""

from .absent import refuse_import

refuse_import("npx")

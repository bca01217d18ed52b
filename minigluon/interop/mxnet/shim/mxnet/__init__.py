"""`import mxnet` gives minigluon under that name: the module below puts itself into the place of this one."""

import importlib

importlib.import_module("minigluon.as_mxnet")

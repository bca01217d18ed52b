"""`import mxnet` gives minigluon under that name: the module below replaces this one."""

import importlib

importlib.import_module("minigluon.as_mxnet")

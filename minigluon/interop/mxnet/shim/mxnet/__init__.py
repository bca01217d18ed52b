"""Provides minigluon for `import mxnet`: the module below replaces this one."""

import importlib

importlib.import_module("minigluon.as_mxnet")

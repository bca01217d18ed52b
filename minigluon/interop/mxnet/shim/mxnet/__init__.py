"""The package that `import mxnet` finds; minigluon's module replaces it."""

import importlib

importlib.import_module("minigluon.as_mxnet")

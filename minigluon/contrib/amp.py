"""`from mxnet.contrib import amp` stands at the top of programs that have it as an option: so the import works, and any
use raises AbsentError, with a word on what to do instead."""

import sys

from ..absent import refuse

amp = sys.modules[__name__]             # in MXNet a module in this one; libraries ask it whether amp.init() was called
_amp_initialized = False


def __getattr__(name):
    if name.startswith("__"):           # what Python itself asks every module for
        raise AttributeError(name)
    refuse("mx.contrib", "amp")

"""`from mxnet.contrib import amp` stands at the top of programs that have it as an option: so the import works, and any
use raises AbsentError, with a word on what to do instead."""

from ..absent import refuse


def __getattr__(name):
    if name.startswith("__"):           # what Python itself asks every module for
        raise AttributeError(name)
    refuse("mx.contrib", "amp")

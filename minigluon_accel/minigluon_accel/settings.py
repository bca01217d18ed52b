"""The number of threads and the instruction set, which are set by the environment and reported by `minigluon info`."""

import os

from minigluon.base import MXNetError
from minigluon.common import hardware as machine

from . import engine, kernels
from .version import __version__

__all__ = ["describe", "set_up"]

MAX_THREADS = 64


def set_up(environment=os.environ):
    """Sets the number of threads and the instruction set.

    Raises MXNetError if the environment requests an unavailable instruction set.
    """
    engine.set_threads(chosen_threads(environment.get("OMP_NUM_THREADS", ""), machine.cores()))
    engine.set_isa(chosen_isa(environment.get("MINIGLUON_ACCEL_ISA"), engine.isas()))


def chosen_threads(setting, cores):
    """Returns the thread count as OpenMP reads it: the first number in a list; only positive numbers count."""
    first = setting.split(",")[0].strip()
    number = int(first) if first.isascii() and first.isdecimal() else 0
    return min(number or cores, MAX_THREADS)


def chosen_isa(setting, isas):
    """Returns the requested instruction set, or the best usable one. isas: {name: (built, present)}, simplest first."""
    usable = [name for name, (built, present) in isas.items() if built and present]
    if not usable:
        built = [name for name, (built, _) in isas.items() if built]
        raise MXNetError(f"minigluon-accel is built for {', '.join(built) or 'no instruction set'}, which this "
                         "processor does not support. Build it here with: pip install --force-reinstall "
                         "./minigluon_accel, or set MINIGLUON_BACKEND=numpy to run without it.")
    if not setting:
        return usable[-1]
    if setting not in usable:
        raise MXNetError(f"MINIGLUON_ACCEL_ISA is {setting!r}, but the instruction sets that are built and that this "
                         f"processor has are {', '.join(usable)}. Unset the variable to use the last of them.")
    return setting


def describe():
    """Yields the lines for `minigluon info`."""
    names = {name for _, _, name in engine.kernels()}
    yield (f"version {__version__}, {engine.threads()} thread{'s' if engine.threads() > 1 else ''}, "
           f"{len(names)} kernels for {len(kernels.prepared_operators())} operators")
    yield f"{'instruction set':16} {'built':6} {'this processor has it':22} in use"
    for name, (built, present) in engine.isas().items():
        yield f"{name:16} {_yes(built):6} {_yes(present):22} {_yes(name == engine.isa())}"


def _yes(value):
    return "yes" if value else "no"

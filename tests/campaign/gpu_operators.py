"""One operator by its kernel on the GPU, with something that does not fit: an error, or NumPy's result.

The GPU is the emulated one, in checked mode: it looks at each access by its exact address, and finds every one that is
outside of an array. A fault of the device ends the process, which is a finding.
"""

import functools
import os
import sys
from importlib.util import find_spec

from helpers import misfits

from minigluon.base import MXNetError

SECONDS = 60.0          # a kernel is compiled when it first runs
IN_CI = 3               # tests/gpu has more


def missing():
    """What is not there to run a case with, or None."""
    absent = [name for name in ("minigluon_accel", "pycuda") if find_spec(name) is None]
    return f"there is no {absent[0]}" if absent else None


@functools.cache
def checks():
    """The helper, imported where a case runs: the emulator is chosen for this process then."""
    os.environ.update(MINIGLUON_GPU="emulate", MINIGLUON_GPU_CHECK="1", MINIGLUON_GPU_OPTIMIZE="0")
    from helpers import misfit_gpu
    return misfit_gpu


def run(case):
    """What the kernel does that NumPy does not."""
    op, arrays, train = misfits.calls_of(case["row"])[case["call"]]
    try:
        op, arrays, layouts = misfits.applied(op, arrays, case["changes"])
    except MXNetError:
        return None                     # an attribute that no such operator has
    try:
        checks().check(op, arrays, train, layouts)
    except AssertionError as error:
        return str(error)
    except checks().Lost as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(3)
    return None


case, smaller = misfits.case, misfits.fewer

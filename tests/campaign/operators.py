"""One operator of the registry, internal ones included, with something that does not fit: an error, or NumPy's result.

`python tests/scripts/sanitize.py tests/campaign operators` builds a plugin that ends with a report at the first access
beside an array; MINIGLUON_ACCEL_ISA=avx2 runs its kernels for another instruction set.
"""


from helpers import misfits
from helpers.misfit_checks import check

from minigluon.backend import available
from minigluon.base import MXNetError

SECONDS = 1.0
IN_CI = 60


def run(case):
    """What the kernel does that NumPy does not."""
    op, arrays, train = misfits.calls_of(case["row"])[case["call"]]
    try:
        op, arrays, layouts = misfits.applied(op, arrays, case["changes"])
    except MXNetError:
        return None                     # an attribute that no such operator has
    try:
        check(op, arrays, train, available().get("accel") or available()["numpy"], layouts)
    except AssertionError as error:
        return str(error)
    return None


case, smaller = misfits.case, misfits.fewer

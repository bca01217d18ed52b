"""An operator by its kernel and by the reference, on 1, 2 and 3 threads, and numbers for it."""

import numpy as np

from helpers.accel_checks import Twin
from minigluon.ops import REGISTRY

RNG = np.random.default_rng(0)


def check(name, *arrays, dtype="float32", **attributes):
    assert Twin(REGISTRY[name](**attributes), [np.asarray(x, dtype) for x in arrays]).check()

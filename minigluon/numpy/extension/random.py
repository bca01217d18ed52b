"""`npx.random`: distributions that `np.random` does not have, and the seed."""

from __future__ import annotations

from ...common.generators import seed
from .. import random
from ..distributions import DISTRIBUTIONS, build_function

_NAMES = [row.name for row in DISTRIBUTIONS["npx"]]
__all__ = ["seed", *_NAMES]

globals().update({row.name: build_function("npx", row, random.run) for row in DISTRIBUTIONS["npx"]})

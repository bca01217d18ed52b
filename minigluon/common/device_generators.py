"""One random generator for each device. `generators.py` seeds them.

    MINIGLUON_SEED          the seed for a program that does not call `mx.random.seed`: an integer, 0 by default, so
                            that a program draws the same numbers in each run, as in MXNet; 'entropy' for different
                            numbers
"""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..base import ArgumentError
from ..context import Context

__all__ = ["generator", "generators", "key_for", "key_of", "seeding"]

generators: dict[Context, np.random.Generator] = {}
seeding = SimpleNamespace(seed=None, called=False)      # the seed of `mx.random.seed`, and whether it was called


def generator(ctx: Context) -> np.random.Generator:
    """Return the device's `numpy.random.Generator`. It is the same object for the lifetime of the process."""
    gen = generators.get(ctx)
    if gen is None:
        # setdefault: if two threads get here simultaneously, both use the first one's generator
        gen = generators.setdefault(ctx, np.random.Generator(np.random.Philox(key=key_of(ctx))))
    return gen


def key_of(ctx: Context) -> Any:
    """Return two 64-bit words for Philox: the seed, and the device, so that devices draw different numbers."""
    return key_for(_default_seed() if seeding.seed is None else seeding.seed, ctx.device_typeid << 32 | ctx.device_id)


def key_for(seed: int, device: int) -> Any:
    """Return the two words of a seed and a device. The second begins with the seed's sign and higher bits.

    NumPy would convert a plain tuple with a word of 2⁶³ or more to float64, so seeds -1, -2 and 0 would be equal.
    """
    return np.array([seed % 2 ** 64, (seed >> 64) % 2 ** 16 << 48 | device], np.uint64)


def _default_seed() -> Any:
    text = os.environ.get("MINIGLUON_SEED", "0")
    if text == "entropy":
        return np.random.SeedSequence().entropy
    try:
        return int(text)
    except ValueError:
        raise ArgumentError(f"MINIGLUON_SEED is {text!r}, expected an integer or 'entropy'") from None

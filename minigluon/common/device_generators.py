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

__all__ = ["generator", "generator_of", "generators", "key_for", "key_of", "mask_bits", "mask_generators", "seeding"]

generators: dict[Context, np.random.Generator] = {}
mask_generators: dict[Context, np.random.Generator] = {}        # for masks in training, if there are several processes
# The seed of `mx.random.seed`, whether it was called, and the rank of this process if there are several.
seeding = SimpleNamespace(seed=None, called=False, rank=None)


def generator(ctx: Context) -> np.random.Generator:
    """Return the device's `numpy.random.Generator`. It is the same object for the lifetime of the process."""
    gen = generators.get(ctx)
    if gen is None:
        # setdefault: if two threads get here simultaneously, both use the first one's generator
        gen = generators.setdefault(ctx, np.random.Generator(np.random.Philox(key=key_of(ctx))))
    return gen


def generator_of(op: Any, ctx: Context) -> np.random.Generator:
    """Return the generator for an operator that draws numbers.

    If there are several processes, each draws different numbers for operations that are random only in training, such
    as Dropout, because equal masks for different samples would be correlated. All other random numbers, such as initial
    values and the order of samples, are equal in processes with equal seeds, however many masks each process has drawn.
    """
    if seeding.rank is None or not op.takes_train:
        return generator(ctx)
    gen = mask_generators.get(ctx)
    if gen is None:
        gen = mask_generators.setdefault(ctx, np.random.Generator(mask_bits(key_of(ctx))))
    return gen


def mask_bits(key: Any) -> np.random.BitGenerator:
    """Return Philox for the masks of this process, 2¹²⁸ numbers after those of the process with the previous rank."""
    return np.random.Philox(key=key).jumped(seeding.rank + 1)


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

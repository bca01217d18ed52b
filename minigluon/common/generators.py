"""One random generator for each device, seeded together or one by one.

    MINIGLUON_SEED          the seed of a program that does not call `mx.random.seed`: an integer, by default 0, so that
                            a program draws the same numbers in each run, as in MXNet; 'entropy' for others in each run
"""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..base import ArgumentError
from ..context import Context, current_context, parse

__all__ = ["generator", "host", "like_numpy", "like_python", "position", "restore", "seed", "seeded",
           "state", "went_back"]

_generators = {}
_seed = None
_seeded = False


def generator(ctx: Context) -> Any:
    """The device's `numpy.random.Generator`. The object stays the same for the life of the process."""
    found = _generators.get(ctx)
    if found is None:
        # setdefault: when two threads come here at once, both get the first one's generator
        found = _generators.setdefault(ctx, np.random.Generator(np.random.Philox(key=_key(ctx))))
    return found


def position(ctx: Context) -> Any:
    """Where the device's generator stands, for `went_back`."""
    return generator(ctx).bit_generator.state


@contextlib.contextmanager
def went_back(ctx, to):
    """Draw inside the block what was drawn from a position on; after it, go on as if nothing had been drawn."""
    bits = generator(ctx).bit_generator
    here, bits.state = bits.state, to
    try:
        yield
    finally:
        bits.state = here


def state() -> dict[str, Any]:
    """Where all random numbers of the program stand: those of the devices, and NumPy's and Python's global generators.

    Numbers, texts and arrays, for `restore`, in this process or in another.
    """
    devices = [(str(ctx), made.bit_generator.state) for ctx, made in list(_generators.items())]
    return {"seed": _seed, "seeded": _seeded, "devices": devices, "numpy": np.random.get_state(legacy=False),
            "python": random.getstate()}


def restore(before: Any) -> None:
    """Go on from where `state` was called."""
    global _seed, _seeded
    _seed, _seeded = before["seed"], before["seeded"]
    used = {parse(text): bits for text, bits in before["devices"]}
    for ctx in _generators.keys() | used.keys():
        if ctx in used:
            generator(ctx).bit_generator.state = used[ctx]
        else:                                       # nothing had been drawn there
            _restart(generator(ctx), _key(ctx))
    np.random.set_state(before["numpy"])
    random.setstate(before["python"])


def host() -> Any:
    """The generator of the current device, for choices made in Python: initializers, shuffling, crops."""
    return generator(current_context())


def seed(seed_state: int, ctx: str | Context = "all") -> None:
    """Seed all devices' generators, or the one of `ctx`. The same seed gives the same numbers again.

    Without a call the seed is 0, or what the environment variable MINIGLUON_SEED says: another integer, or 'entropy'
    for numbers that no run has drawn before.

    seed_state: an integer.
    ctx: 'all', a Context, or its text such as 'cpu' or 'gpu(1)'.

    Raises ArgumentError for a seed that is no integer, ContextError for a text that names no device.

    >>> mx.random.seed(7)
    >>> x = nd.random.uniform(shape=(3,))
    >>> mx.random.seed(7)
    >>> mx.test_utils.same(x.asnumpy(), nd.random.uniform(shape=(3,)).asnumpy())
    True
    """
    global _seed, _seeded
    if not isinstance(seed_state, (int, np.integer)):
        raise ArgumentError(f"seed: the seed is {seed_state!r}, expected an integer")
    one = None if ctx == "all" else parse(ctx)
    _seeded = True
    if one is not None:
        _restart(generator(one), (int(seed_state), 0))
        return
    _seed = int(seed_state)
    for device, existing in list(_generators.items()):       # other threads may use new devices meanwhile
        _restart(existing, _key(device))


def seeded() -> Any:
    """Whether `seed` has been called. Where MXNet draws from NumPy's generator, this one takes over only then."""
    return _seeded


def like_numpy() -> Any:
    """Where MXNet draws from `np.random`: that, until `seed` has been called; from then on `host`."""
    return host() if _seeded else np.random


def like_python() -> _LikePython | ModuleType:
    """Where MXNet draws from Python's `random`: that, until `seed` has been called; from then on `host`."""
    return _LikePython() if _seeded else random


class _LikePython:
    """The functions of Python's `random` that image augmentation calls, on `host`."""

    def random(self) -> Any:
        return host().random()

    def uniform(self, a: float, b: float) -> Any:
        return a + (b - a) * host().random()

    def randint(self, a: Any, b: Any) -> int:
        return int(host().integers(a, b + 1))

    def shuffle(self, x: Sequence[Any]) -> None:
        x[:] = [x[i] for i in host().permutation(len(x))]


def _key(ctx):
    """Philox takes two 64-bit words: the seed, and the device so that devices draw different numbers."""
    state = _default_seed() if _seed is None else _seed
    return (state % 2**64, ctx.device_typeid << 32 | ctx.device_id)


def _default_seed():
    text = os.environ.get("MINIGLUON_SEED", "0")
    if text == "entropy":
        return np.random.SeedSequence().entropy
    try:
        return int(text)
    except ValueError:
        raise ArgumentError(f"MINIGLUON_SEED is {text!r}, expected an integer or 'entropy'") from None


def _restart(gen, key):
    gen.bit_generator.state = np.random.Philox(key=key).state

"""Seeds of the devices' random generators, and where these stand. `device_generators` makes them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..base import ArgumentError
from ..context import Context, current_context, parse
from .device_generators import generator, generators, key_of, seeding

__all__ = ["generator", "host", "like_numpy", "like_python", "position", "restore", "seed", "seeded",
           "state", "went_back"]

def position(ctx):
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
    import random  # with what it needs it takes 1.6 ms, a sixtieth of `import minigluon`
    devices = [(str(ctx), made.bit_generator.state) for ctx, made in list(generators.items())]
    return {"seed": seeding.seed, "seeded": seeding.called, "devices": devices,
            "numpy": np.random.get_state(legacy=False), "python": random.getstate()}


def restore(before: Any) -> None:
    """Go on from where `state` was called."""
    import random
    seeding.seed, seeding.called = before["seed"], before["seeded"]
    used = {parse(text): bits for text, bits in before["devices"]}
    for ctx in generators.keys() | used.keys():
        if ctx in used:
            generator(ctx).bit_generator.state = used[ctx]
        else:                                       # nothing had been drawn there
            _restart(generator(ctx), key_of(ctx))
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
    if not isinstance(seed_state, (int, np.integer)):
        raise ArgumentError(f"seed: the seed is {seed_state!r}, expected an integer")
    one = None if ctx == "all" else parse(ctx)
    seeding.called = True
    if one is not None:
        _restart(generator(one), (int(seed_state), 0))
        return
    seeding.seed = int(seed_state)
    for device, existing in list(generators.items()):       # other threads may use new devices meanwhile
        _restart(existing, key_of(device))


def seeded() -> Any:
    """Whether `seed` has been called. Where MXNet draws from NumPy's generator, this one takes over only then."""
    return seeding.called


def like_numpy() -> Any:
    """Where MXNet draws from `np.random`: that, until `seed` has been called; from then on `host`."""
    return host() if seeding.called else np.random


def like_python() -> _LikePython | ModuleType:
    """Where MXNet draws from Python's `random`: that, until `seed` has been called; from then on `host`."""
    import random
    return _LikePython() if seeding.called else random


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


def _restart(gen, key):
    gen.bit_generator.state = np.random.Philox(key=key).state

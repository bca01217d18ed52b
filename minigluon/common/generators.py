"""Seeds and states of the devices' random generators, which `device_generators` creates."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..base import ArgumentError
from ..context import Context, current_context, parse
from .device_generators import generator, generators, key_for, key_of, mask_bits, mask_generators, seeding

__all__ = ["generator", "host", "numpy_compatible_rng", "position", "python_compatible_rng", "restore", "rewound",
           "seed", "seeded", "state"]

def position(ctx):
    """Return the positions of the device's generators, for `rewound`."""
    return [bits.state for bits in _bits(ctx)]


@contextlib.contextmanager
def rewound(ctx, to):
    """Repeat the draws from a position inside the `with` block; afterwards, continue as if nothing had been drawn."""
    here = position(ctx)
    _move(ctx, [to] * len(here) if isinstance(to, dict) else to)
    try:
        yield
    finally:
        _move(ctx, here)


def _bits(ctx):
    """Return the bit generators of a device: of its `generator`, and of its masks if there are several processes."""
    masks = mask_generators.get(ctx)
    return [generator(ctx).bit_generator, *([] if masks is None else [masks.bit_generator])]


def _move(ctx, states):
    for bits, at in zip(_bits(ctx), states, strict=False):     # a mask generator may have been created since then
        bits.state = at


def state() -> dict[str, Any]:
    """Return the state of all the program's random generators: the devices', and NumPy's and Python's global ones.

    It consists of numbers, strings and arrays, for `restore` in this process or another.
    """
    import random  # its import takes 1.6 ms, a sixtieth of `import minigluon`
    devices = [(str(ctx), gen.bit_generator.state) for ctx, gen in list(generators.items())]
    masks = [(str(ctx), gen.bit_generator.state) for ctx, gen in list(mask_generators.items())]
    return {"seed": seeding.seed, "seeded": seeding.called, "devices": devices, "masks": masks,
            "numpy": np.random.get_state(legacy=False), "python": random.getstate()}


def restore(before: Any) -> None:
    """Continue from the point where `state` was called."""
    import random
    seeding.seed, seeding.called = before["seed"], before["seeded"]
    used = {parse(text): bits for text, bits in before["devices"]}
    for ctx in generators.keys() | used.keys():
        if ctx in used:
            generator(ctx).bit_generator.state = used[ctx]
        else:                                       # nothing had been drawn on that device
            _restart(generator(ctx), key_of(ctx))
    _restore_masks(before.get("masks", ()))
    np.random.set_state(before["numpy"])
    random.setstate(before["python"])


def host() -> Any:
    """Return the generator of the current device, for choices made in Python: initializers, shuffling, and crops."""
    return generator(current_context())


def seed(seed_state: int, ctx: str | Context = "all") -> None:
    """Seed the generators of all devices, or only that of `ctx`. The same seed produces the same numbers.

    Without a call, the seed is 0, or the value of the environment variable MINIGLUON_SEED: another integer, or
    'entropy' for different numbers in each run.

    seed_state: an integer of at most 80 bits, which may be negative.
    ctx: 'all', a Context, or a string such as 'cpu' or 'gpu(1)'.

    Raises ArgumentError for an invalid seed, and ContextError for a string that does not name a device.

    >>> mx.random.seed(7)
    >>> x = nd.random.uniform(shape=(3,))
    >>> mx.random.seed(7)
    >>> mx.test_utils.same(x.asnumpy(), nd.random.uniform(shape=(3,)).asnumpy())
    True
    """
    if not isinstance(seed_state, (int, np.integer)):
        raise ArgumentError(f"seed: the seed is {seed_state!r}, expected an integer")
    if not -2 ** 79 <= seed_state < 2 ** 79:
        raise ArgumentError(f"seed: the seed is {seed_state}, expected an integer of at most 80 bits")
    one = None if ctx == "all" else parse(ctx)
    seeding.called = True
    if one is not None:
        _restart(generator(one), key_for(int(seed_state), 0))
        if one in mask_generators:
            mask_generators[one].bit_generator.state = mask_bits(key_for(int(seed_state), 0)).state
        return
    seeding.seed = int(seed_state)
    for device, existing in list(generators.items()):       # other threads may use new devices meanwhile
        _restart(existing, key_of(device))
    _restore_masks(())


def seeded() -> Any:
    """Return whether `seed` has been called. Only then does this generator replace NumPy's where MXNet uses
    NumPy's."""
    return seeding.called


def numpy_compatible_rng() -> Any:
    """Return the generator to use where MXNet uses `np.random`: `np.random` until `seed` is called, then `host`."""
    return host() if seeding.called else np.random


def python_compatible_rng() -> _PythonCompatibleRNG | ModuleType:
    """Return the generator to use where MXNet uses Python's `random`: `random` until `seed` is called, then `host`."""
    import random
    return _PythonCompatibleRNG() if seeding.called else random


class _PythonCompatibleRNG:
    """The functions of Python's `random` that image augmentation uses, implemented with `host`."""

    def random(self) -> Any:
        return host().random()

    def uniform(self, a: float, b: float) -> Any:
        return a + (b - a) * host().random()

    def randint(self, a: Any, b: Any) -> int:
        return int(host().integers(a, b + 1))

    def shuffle(self, x: Sequence[Any]) -> None:
        x[:] = [x[i] for i in host().permutation(len(x))]


def _restore_masks(saved):
    """Continue drawing masks where the saved process stopped, or with this process's own numbers if its rank differs.
    """
    counters = {parse(text): state for text, state in saved}
    for ctx, gen in list(mask_generators.items()):
        bits = mask_bits(key_of(ctx)).state
        if ctx in counters:
            own, place = bits["state"]["counter"][2], counters[ctx]["state"]
            if place["counter"][2] == own:
                bits = counters[ctx]
            else:
                bits["state"]["counter"][:2], bits["state"]["key"] = place["counter"][:2], place["key"]
        gen.bit_generator.state = bits


def _restart(gen, key):
    gen.bit_generator.state = np.random.Philox(key=key).state

"""Names of a net's programs, the same in every library."""

from functools import partial

__all__ = ["BATCHES", "programs_of"]

BATCHES = 1, 8          # as in `minigluon.tools.bench.nets`


def programs_of(nets, sizes, forward, train_step):
    """Return {name: maker} for nets that run forward at each of BATCHES, and train at their own batch size.

    nets: {name: (its constructor, the name of its batch size)}. forward, train_step: (make, sizes, mode) -> maker.
    """
    programs = {}
    for net, (make, batch) in nets.items():
        for count in BATCHES:
            programs[f"{net} batch {count} forward"] = partial(forward, make, {**sizes, batch: count})
        programs[f"{net} train step"] = partial(train_step, make, sizes)
    return programs

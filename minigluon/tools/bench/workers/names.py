"""Names of the programs of a net, in every library."""

from functools import partial

__all__ = ["BATCHES", "programs_of"]

BATCHES = 1, 8          # as in `minigluon.tools.bench.nets`


def programs_of(nets, sizes, forward, train_step):
    """{name: maker} of nets that run forward at each of BATCHES, and as a train step at the batch of their own.

    nets: {name: (what makes it, the name of the size of its batch)}. forward, train_step: (make, sizes, mode) -> maker.
    """
    programs = {}
    for net, (make, batch) in nets.items():
        for count in BATCHES:
            programs[f"{net} batch {count} forward"] = partial(forward, make, {**sizes, batch: count})
        programs[f"{net} train step"] = partial(train_step, make, sizes)
    return programs

"""Which gradients a plan may write directly to where the tape would store them: the variables' own arrays."""

from ..tape import Entry, Variable

__all__ = ["write_targets"]


def write_targets(walk, parents):
    """For each parent the array of the variable that its gradient may be written to, or None.

    walk: a `tape.Walk`; None where gradients are not stored.
    """
    if walk is None:
        return [None] * len(parents)
    if walk.targets is None:            # most graphs never ask
        walk.targets = _free_arrays(walk)
    return [None if parent is None else walk.targets.get(parent[0]) for parent in parents]


def _free_arrays(walk):
    """{variable: its array}, of those that nothing else reads, and that nothing is added to."""
    ways = {}                           # how many lead to a variable
    read = {g._root() for g in walk.head_grads if g is not None}
    for node in walk.heads:
        if isinstance(node, Variable):
            ways[node] = ways.get(node, 0) + 1
    for entry in walk.order:
        for parent in entry.parents:
            if parent is not None and isinstance(node := parent[0], Variable):
                ways[node] = ways.get(node, 0) + 1
        if isinstance(entry, Entry):
            for x in (*entry.inputs, *entry.outputs):
                read.add(x if x._base is None else x._root())
    owners = {}                         # None: several variables have parts of its memory
    for variable in ways:
        grad = variable.grad
        root = grad if grad._base is None else grad._root()
        owners[root] = None if root in owners else variable
    return {variable: variable.grad for root, variable in owners.items()
            if variable is not None and ways[variable] == 1 and variable.req == "write" and root not in read}

"""Gradients that a plan may write directly to the variables' arrays, where the tape would store them."""

from ..common.fast_paths import fast
from ..tape import Entry, Variable
from .plan import PlanEntry


@fast(PlanEntry, "_targets")
def targets(self, walk, indices):
    if walk is None:                    # the gradients are not stored
        return [None] * len(indices)
    if walk.targets is None:            # most graphs have no such variables
        walk.targets = _free_arrays(walk)
    plan, arrays = self.runner.plan, [None] * len(indices)
    for number, (index, parent) in enumerate(zip(indices, self.parents, strict=True)):
        array = None if index is None or parent is None else walk.targets.get(parent[0])
        if array is not None and _can_write(plan, index, array.buffer):
            arrays[number] = array
    return arrays


def _can_write(plan, index, buffer):
    """Returns whether `plan.backward` may write the gradient `index` to this buffer."""
    return buffer.flags.c_contiguous and buffer.dtype == plan._specs_of_gradients[index].dtype


def _free_arrays(walk):
    """Returns {variable: its array} for arrays that nothing else reads and to which no gradient is added."""
    ways = {}                           # variable -> the number of paths to it
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
    owners = {}                         # None: several variables share parts of its memory
    for variable in ways:
        grad = variable.grad
        root = grad if grad._base is None else grad._root()
        owners[root] = None if root in owners else variable
    return {variable: variable.grad for root, variable in owners.items()
            if variable is not None and ways[variable] == 1 and variable.req == "write" and root not in read}

"""Prepacking: results that depend only on parameters, such as filters reordered for a kernel, are kept across calls.

The operators of such nodes are `PrepackOp`s, which backends' passes insert into inference plans. The pass turns their
results into inputs, and `PackedParameters` recomputes these after a parameter has been written to.
"""

from ..dispatch import prepare
from ..ndarray.ndarray import LENDING, WRITES
from ..ops.op import Op
from ..symbol.graph import Node
from ..symbol.rewrite import Rewriter
from .conditions import only_if, only_with

__all__ = ["PackedParameters", "PrepackOp", "Prepackers", "parameter_constants"]

MAX_LISTS = 256         # if a program keeps using new shapes, the cache is cleared at this count


class PrepackOp(Op):
    """An operator whose result depends only on parameters and is worth keeping.

    deferrable: the result is not computed if parameters have been written to since the previous call, because they may
    be written to again before the next one. `skip_packed(result)` tells the result's reader to work without it.
    """

    arguments = ("inputs",)
    variadic = True
    gradient = None
    deferrable = False

    @classmethod
    def complete(cls, attributes):
        return attributes

    def skip_packed(self, result):
        raise NotImplementedError


class Prepacker:
    """Computes one result. op: a PrepackOp. numbers: the indices of its inputs among the parameters."""

    def __init__(self, op, numbers, specs, output, ctx):
        self.op, self.numbers = op, numbers
        self.run = prepare(op, ctx, specs, [output], False)


class Prepackers(list):
    """A plan's Prepackers. numbers: the indices of all parameters that they read."""

    __hash__ = object.__hash__

    def __init__(self, prepackers):
        super().__init__(prepackers)
        self.numbers = sorted({number for prepacker in prepackers for number in prepacker.numbers})


class PackedParameters:
    """The Prepackers' results for parameters stored in `buffers`; `arrays` count the writes to this memory."""

    __slots__ = ("arrays", "buffers", "lists", "results")

    def __init__(self, arrays, buffers):
        self.arrays, self.buffers = arrays, buffers
        self.lists = {}             # {Prepackers: (last write at that time, versions, results)}, if all are computed
        self.results = {}           # {Prepacker: (versions, its result, whether it is computed)}

    def of(self, prepackers):
        """Returns a plan's results for the current parameters."""
        last = WRITES.last          # read before the versions, so that the next call notices a write in between
        entry = None if self.is_lent(prepackers.numbers) else self.lists.get(prepackers)
        if entry is not None and entry[0] == last:
            return entry[2]
        versions = self.versions(prepackers)
        if entry is not None and entry[1] == versions:
            results = entry[2]
        else:
            results = [self.result(prepacker) for prepacker in prepackers]
            if len(self.lists) >= MAX_LISTS:
                self.lists.clear()
            if not all(self.results[prepacker][2] for prepacker in prepackers):
                return results
        self.lists[prepackers] = last, versions, results
        return results

    def versions(self, prepackers):
        """Returns the versions of the parameters that one or more Prepackers read."""
        arrays = [self.arrays[number] for number in prepackers.numbers]
        return [x._writes if x._base is None else x._version for x in arrays]

    def result(self, prepacker):
        """Returns the result of one Prepacker. Plans for other data shapes share it."""
        versions = self.versions(prepacker)
        is_lent, entry = self.is_lent(prepacker.numbers), self.results.get(prepacker)
        changed = entry is None or entry[0] != versions or is_lent
        if changed and entry is not None and prepacker.op.deferrable:
            prepacker.op.skip_packed(entry[1])
            self.results[prepacker] = entry = versions, entry[1], False
        elif changed or not entry[2]:
            entry = versions, prepacker.run([self.buffers[number] for number in prepacker.numbers])[0], True
            self.results[prepacker] = entry
        return entry[1]

    def is_lent(self, numbers):
        """Returns whether another library may write to one of these arrays without the write being counted."""
        return LENDING.has_begun and any(self.arrays[number]._root()._is_lent for number in numbers)


@only_if("parameters")
@only_with(PrepackOp)
def parameter_constants(draft):
    """Replaces nodes that depend only on parameters with variables, which become inputs; `prepackers` compute them.

    `draft.known_prepackers`: {(op, numbers, device): Prepacker}. New Prepackers are added, because plans for other data
    shapes share them.
    """
    split = ConstantSplit(draft)
    graph = split.rewritten()
    if not split.prepackers:
        return draft
    return draft._replace(graph=graph, inputs=[*draft.inputs, *split.variables],
                          prepackers=Prepackers(split.prepackers))


class ConstantSplit(Rewriter):
    """Separates PrepackOps from the graph. variables: their replacements. prepackers: the Prepackers that compute the
    values.
    """

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.ctx, self.known = draft.ctx, draft.known_prepackers
        self.number_of = {variable: number for number, variable in enumerate(draft.parameters)}
        self.variables, self.prepackers = [], []

    def replace(self, node):
        """Returns a variable for a PrepackOp that reads parameters."""
        if not (isinstance(node.op, PrepackOp) and all(parent in self.number_of for parent, _ in node.inputs)):
            return super().replace(node)
        numbers = [self.number_of[parent] for parent, _ in node.inputs]
        self.prepackers.append(_prepacker(node, numbers, self.specs, self.ctx, self.known))
        self.variables.append(Node(None, node.name))
        return self.variables[-1]

    def put(self, node, new):
        """Stores the replacement; like every PrepackOp, a variable has one output."""
        for index in range(1 if new.op is None else new.op.num_outputs):
            self.where[node, index] = new, index
            self.specs[new, index] = self.specs[node, index]


def _prepacker(node, numbers, specs, ctx, prepackers):
    inputs = tuple([specs[pair] for pair in node.inputs])
    key = node.op, tuple(numbers), inputs, ctx
    if key not in prepackers:
        prepackers[key] = Prepacker(node.op, numbers, list(inputs), specs[node, 0], ctx)
    return prepackers[key]

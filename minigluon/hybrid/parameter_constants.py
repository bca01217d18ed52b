"""What a plan computes from parameters alone, once for many calls: convolutions' filters in a kernel's own order.

The operators of such nodes are `PrepackOp`s, which backends' passes put into plans that only infer. The pass makes
inputs of their results, and `PackedParameters` computes these again when one of the parameters was written to since.
"""

from ..dispatch import prepare
from ..ndarray.ndarray import LENDING, WRITES
from ..ops.op import Op
from ..symbol.graph import Node
from ..symbol.rewrite import Rewriter
from .conditions import only_if, only_with

__all__ = ["PackedParameters", "PrepackOp", "Prepackers", "parameter_constants"]

MAX_LISTS = 256         # a program with ever new shapes starts over at this number


class PrepackOp(Op):
    """An operator whose result follows from parameters, and is worth keeping.

    deferrable: it is not computed for parameters that were written to since the call before, which may be written to
    before the next one, too. `skip_packed(result)` tells the result's reader to do without it.
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
    """Computes one result. op: a PrepackOp. numbers: of its inputs among the parameters."""

    def __init__(self, op, numbers, specs, output, ctx):
        self.op, self.numbers = op, numbers
        self.run = prepare(op, ctx, specs, [output], False)


class Prepackers(list):
    """The Prepackers of a plan. numbers: of all parameters that they read."""

    __hash__ = object.__hash__

    def __init__(self, prepackers):
        super().__init__(prepackers)
        self.numbers = sorted({number for prepacker in prepackers for number in prepacker.numbers})


class PackedParameters:
    """The results of Prepackers for parameters in the memory `buffers`, whose writes `arrays` count."""

    __slots__ = ("arrays", "buffers", "lists", "results")

    def __init__(self, arrays, buffers):
        self.arrays, self.buffers = arrays, buffers
        self.lists = {}             # {Prepackers: (the last write then, versions, results), all of them computed}
        self.results = {}           # {Prepacker: (versions, its result, is it computed?)}

    def of(self, prepackers):
        """The results for a plan, as they follow from the parameters now."""
        last = WRITES.last          # read before the versions: a write between the two is seen by the next call
        found = None if self.is_lent(prepackers.numbers) else self.lists.get(prepackers)
        if found is not None and found[0] == last:
            return found[2]
        versions = self.versions(prepackers)
        if found is not None and found[1] == versions:
            results = found[2]
        else:
            results = [self.result(prepacker) for prepacker in prepackers]
            if len(self.lists) >= MAX_LISTS:
                self.lists.clear()
            if not all(self.results[prepacker][2] for prepacker in prepackers):
                return results
        self.lists[prepackers] = last, versions, results
        return results

    def versions(self, prepackers):
        """Of the parameters that a Prepacker reads, or several of them."""
        arrays = [self.arrays[number] for number in prepackers.numbers]
        return [x._writes if x._base is None else x._version for x in arrays]

    def result(self, prepacker):
        """That of one Prepacker. Plans for other shapes of the data share it."""
        versions = self.versions(prepacker)
        is_lent, found = self.is_lent(prepacker.numbers), self.results.get(prepacker)
        changed = found is None or found[0] != versions or is_lent
        if changed and found is not None and prepacker.op.deferrable:
            prepacker.op.skip_packed(found[1])
            self.results[prepacker] = found = versions, found[1], False
        elif changed or not found[2]:
            found = versions, prepacker.run([self.buffers[number] for number in prepacker.numbers])[0], True
            self.results[prepacker] = found
        return found[1]

    def is_lent(self, numbers):
        """May another library write to one of these arrays, which nobody would count?"""
        return LENDING.has_begun and any(self.arrays[number]._root()._is_lent for number in numbers)


@only_if("parameters")
@only_with(PrepackOp)
def parameter_constants(draft):
    """Make variables, which are further inputs, of what follows from parameters alone; `prepackers` compute them.

    `draft.known_prepackers`: {(op, numbers, device): Prepacker}, to which new ones are added: plans for other shapes of
    the data have the same.
    """
    split = ConstantSplit(draft)
    graph = split.rewritten()
    if not split.prepackers:
        return draft
    return draft._replace(graph=graph, inputs=[*draft.inputs, *split.variables],
                          prepackers=Prepackers(split.prepackers))


class ConstantSplit(Rewriter):
    """variables: in place of nodes that are computed from parameters. prepackers: of their values."""

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.ctx, self.known = draft.ctx, draft.known_prepackers
        self.number_of = {variable: number for number, variable in enumerate(draft.parameters)}
        self.variables, self.prepackers = [], []

    def replace(self, node):
        """A variable for a PrepackOp of parameters."""
        if not (isinstance(node.op, PrepackOp) and all(parent in self.number_of for parent, _ in node.inputs)):
            return super().replace(node)
        numbers = [self.number_of[parent] for parent, _ in node.inputs]
        self.prepackers.append(_prepacker(node, numbers, self.specs, self.ctx, self.known))
        self.variables.append(Node(None, node.name))
        return self.variables[-1]

    def put(self, node, new):
        """A variable has one output, as each PrepackOp has."""
        for index in range(1 if new.op is None else new.op.num_outputs):
            self.where[node, index] = new, index
            self.specs[new, index] = self.specs[node, index]


def _prepacker(node, numbers, specs, ctx, known):
    inputs = tuple([specs[pair] for pair in node.inputs])
    key = node.op, tuple(numbers), inputs, ctx
    if key not in known:
        known[key] = Prepacker(node.op, numbers, list(inputs), specs[node, 0], ctx)
    return known[key]

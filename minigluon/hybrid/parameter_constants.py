"""What a plan computes from parameters alone, once for many calls: convolutions' filters in a kernel's own order.

The operators of such nodes are `Preparation`s, which backends' passes put into plans that only infer. The pass makes
inputs of their results, and `Kept` computes these again when one of the parameters was written to since.
"""

from ..dispatch import prepare
from ..ndarray.ndarray import LENDING, WRITES
from ..ops.op import Op
from ..symbol.graph import Node
from ..symbol.rewrite import Rewriter
from .conditions import only_if, only_with

__all__ = ["Kept", "Makers", "Preparation", "parameter_constants"]

MAX_LISTS = 256         # a program with ever new shapes starts over at this number


class Preparation(Op):
    """An operator whose result follows from parameters, and is worth keeping.

    waits: it is not computed for parameters that were written to since the call before, which may be written to before
    the next one, too. `put_off(result)` tells the result's reader to do without it.
    """

    arguments = ("inputs",)
    variadic = True
    gradient = None
    waits = False

    @classmethod
    def complete(cls, attributes):
        return attributes

    def put_off(self, result):
        raise NotImplementedError


class Maker:
    """Computes one result. op: a Preparation. numbers: of its inputs among the parameters."""

    def __init__(self, op, numbers, specs, output, ctx):
        self.op, self.numbers = op, numbers
        self.run = prepare(op, ctx, specs, [output], False)


class Makers(list):
    """The Makers of a plan. numbers: of all parameters that they read."""

    __hash__ = object.__hash__

    def __init__(self, makers):
        super().__init__(makers)
        self.numbers = sorted({number for maker in makers for number in maker.numbers})


class Kept:
    """The results of Makers for parameters in the memory `buffers`, whose writes `arrays` count."""

    __slots__ = ("arrays", "buffers", "lists", "results")

    def __init__(self, arrays, buffers):
        self.arrays, self.buffers = arrays, buffers
        self.lists = {}             # {Makers: (the last write then, versions, results), all of them computed}
        self.results = {}           # {Maker: (versions, its result, is it computed?)}

    def of(self, makers):
        """The results for a plan, as they follow from the parameters now."""
        last = WRITES.last          # read before the versions: a write between the two is seen by the next call
        found = None if self.is_lent(makers.numbers) else self.lists.get(makers)
        if found is not None and found[0] == last:
            return found[2]
        versions = self.versions(makers)
        if found is not None and found[1] == versions:
            results = found[2]
        else:
            results = [self.result(maker) for maker in makers]
            if len(self.lists) >= MAX_LISTS:
                self.lists.clear()
            if not all(self.results[maker][2] for maker in makers):
                return results
        self.lists[makers] = last, versions, results
        return results

    def versions(self, makers):
        """Of the parameters that a Maker reads, or several of them."""
        arrays = [self.arrays[number] for number in makers.numbers]
        return [x._writes if x._base is None else x._version for x in arrays]

    def result(self, maker):
        """That of one Maker. Plans for other shapes of the data share it."""
        versions = self.versions(maker)
        is_lent, found = self.is_lent(maker.numbers), self.results.get(maker)
        changed = found is None or found[0] != versions or is_lent
        if changed and found is not None and maker.op.waits:
            maker.op.put_off(found[1])
            self.results[maker] = found = versions, found[1], False
        elif changed or not found[2]:
            found = versions, maker.run([self.buffers[number] for number in maker.numbers])[0], True
            self.results[maker] = found
        return found[1]

    def is_lent(self, numbers):
        """May another library write to one of these arrays, which nobody would count?"""
        return LENDING.has_begun and any(self.arrays[number]._root()._is_lent for number in numbers)


@only_if("parameters")
@only_with(Preparation)
def parameter_constants(draft):
    """Make variables, which are further inputs, of what follows from parameters alone; `makers` compute them.

    `draft.makers_known`: {(op, numbers, device): Maker}, to which new ones are added: plans for other shapes of the
    data have the same.
    """
    split = ConstantSplit(draft)
    graph = split.rewritten()
    if not split.makers:
        return draft
    return draft._replace(graph=graph, inputs=[*draft.inputs, *split.variables], makers=Makers(split.makers))


class ConstantSplit(Rewriter):
    """variables: in place of nodes that are computed from parameters. makers: of their values."""

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.ctx, self.known = draft.ctx, draft.makers_known
        self.number_of = {variable: number for number, variable in enumerate(draft.parameters)}
        self.variables, self.makers = [], []

    def replace(self, node):
        """A variable for a Preparation of parameters."""
        if not (isinstance(node.op, Preparation) and all(parent in self.number_of for parent, _ in node.inputs)):
            return super().replace(node)
        numbers = [self.number_of[parent] for parent, _ in node.inputs]
        self.makers.append(_maker(node, numbers, self.specs, self.ctx, self.known))
        self.variables.append(Node(None, node.name))
        return self.variables[-1]

    def put(self, node, new):
        """A variable has one output, as each Preparation has."""
        for index in range(1 if new.op is None else new.op.num_outputs):
            self.where[node, index] = new, index
            self.specs[new, index] = self.specs[node, index]


def _maker(node, numbers, specs, ctx, known):
    inputs = tuple([specs[pair] for pair in node.inputs])
    key = node.op, tuple(numbers), inputs, ctx
    if key not in known:
        known[key] = Maker(node.op, numbers, list(inputs), specs[node, 0], ctx)
    return known[key]

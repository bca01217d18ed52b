"""The checks of step 15: first lifetimes and positions of buffers, then the layout of a small graph."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np

from .....backend import Spec
from .....context import cpu
from .....hybrid.layout import Layout, Storage
from .....hybrid.memory import Buffer, _lowest_gap, assign_offsets
from .....hybrid.specs import infer_specs
from .....ops import REGISTRY
from .....symbol.graph import Node
from ...checking import check, expect, same

FLOATS = Spec((4, 4), np.dtype("float32"))
OTHER_SHAPE = Spec((2, 8), np.dtype("float32"))
OTHER_TYPE = Spec((4, 4), np.dtype("int32"))


def _node(name, op, *parents):
    return Node(REGISTRY[op](), name, [(parent, 0) for parent in parents])


@check("Layout._find_last_uses", "the last reader of each value is known")
def last_uses() -> None:
    x, w = Node(None, "x"), Node(None, "w")
    a = _node("a", "relu", x)
    b = _node("b", "elemwise_add", a, w)
    c = _node("c", "elemwise_mul", a, b)
    d = _node("d", "relu", b)
    layout = SimpleNamespace(heads={(c, 0), (d, 0), (a, 0)})
    case = "a = relu(x), b = a + w, c = a · b, d = relu(b), with results a, c and d"
    Layout._find_last_uses(layout, [a, b, c, d])
    expect(hasattr(layout, "last_use"), "there is no self.last_use after Layout._find_last_uses: expected a dict from "
           "pair to step")
    for node, expected, why in [
        (x, 0, "a reads it in step 0"), (w, 1, "b reads it in step 1"),
        (b, 3, "c reads it in step 2, d once more in step 3"),
        (d, 4, "it is a result: it stays alive after the last step"),
        (a, 4, "c reads it in step 2, but it is also a result"),
    ]:
        same(f"{case}: the last use of {node.name}", layout.last_use.get((node, 0)), expected, why)
    same(f"{case}: the number of pairs in last_use", len(layout.last_use), 6, "x, w, a, b, c and d")
    split = Node(REGISTRY["SliceChannel"](num_outputs=2), "split", [(x, 0)])
    reads = Node(REGISTRY["relu"](), "reads", [(split, 1)])
    layout = SimpleNamespace(heads={(reads, 0)})
    Layout._find_last_uses(layout, [split, reads])
    same("x is split in two, and only the second part is read: the last use of this part",
         layout.last_use.get((split, 1)), 1, "a pair contains the index of the output")
    expect((split, 0) not in layout.last_use, "x is split in two, and only the second part is read: the first is in "
           "last_use, but it must not be, because nobody reads it")


def _stored(kind="value", spec=FLOATS, last=3, size=None):
    storage = Storage(kind, spec, 0)
    storage.size = storage.size if size is None else size
    storage.last = last
    return storage


def _in_place_of(op, storages, specs, position=3):
    """Return the result of `_in_place` for an operator at step 3 whose inputs have these storages."""
    nodes = [Node(None, f"input{number}") for number in range(len(storages))]
    layout = SimpleNamespace(
        specs={(node, 0): spec for node, spec in zip(nodes, specs, strict=True)},
        slot_of={(node, 0): number for number, node in enumerate(nodes)},
        storage_of={number: storage for number, storage in enumerate(storages) if storage is not None})
    node = Node(REGISTRY[op](), "asks", [(node, 0) for node in nodes])
    return Layout._in_place(layout, position, node, FLOATS)


def _overwrites(op, storages, expected, why, specs=None):
    """Check the chosen storage. expected: the index of the input with that storage, or None."""
    actual = _in_place_of(op, storages, specs or [FLOATS] * len(storages))
    storage_texts = [("not planned" if s is None else f"{s.kind}, last read in step {s.last}") for s in storages]
    expected_storage = None if expected is None else storages[expected]
    name = "None" if actual is None else next((f"the storage of input {number}" for number, s in enumerate(storages)
                                               if s is actual), repr(actual))
    expect(actual is expected_storage, "{op} at step 3 on inputs ({inputs}): _in_place returns {found}; expected "
           "{expected}: {why}", op=op, inputs="; ".join(storage_texts), found=name, why=why,
           expected="None" if expected is None else f"the storage of input {expected}")


@check("Layout._in_place", "an operator overwrites memory that nobody reads any more")
def takes_the_place() -> None:
    _overwrites("relu", [_stored()], 0, "step 3 itself is the last to read it")
    _overwrites("relu", [_stored(last=2)], 0, "its last use is over")
    _overwrites("elemwise_add", [_stored(last=5), _stored()], 1, "the first is still read, the second is not")
    _overwrites("elemwise_add", [_stored(), _stored()], 0, "both are free: the first one is used")
    _overwrites("elemwise_add", [None, _stored()], 1, "the first is an input of the graph")
    twice = _stored()
    _overwrites("elemwise_add", [twice, twice], 0, "it is read twice, but by an operator that allows both")


@check("Layout._in_place", "an operator overwrites nothing else")
def leaves_alone() -> None:
    _overwrites("relu", [_stored(last=4)], None, "step 4 will read it")
    _overwrites("relu", [None], None, "an input of the graph belongs to the caller")
    for kind in ("result", "gradient", "own", "scratch"):
        _overwrites("relu", [_stored(kind)], None, f"the plan may not overwrite memory of kind {kind!r}")
    _overwrites("relu", [_stored()], None, "the input has another shape", [OTHER_SHAPE])
    _overwrites("relu", [_stored()], None, "the input has another dtype", [OTHER_TYPE])
    _overwrites("relu", [_stored(size=128)], None, "the storage is larger than the output")
    _overwrites("_relu_grad", [_stored(), _stored()], 1, "this operator may overwrite y, but not grad: see op.in_place")
    twice = _stored()
    _overwrites("_relu_grad", [twice, twice], None, "both grad and y are there, and grad may not be overwritten")


def _layout(head, input_specs, results=1):
    """Return the layout of a graph of symbols."""
    from .....symbol.symbol import Symbol
    graph = Symbol([(head, 0)])
    specs = infer_specs(graph, input_specs)
    variables = [node for node in graph.nodes() if node.op is None]
    return Layout(graph, results, specs, variables, cpu(), False)


def _reshape(name, parent):
    return Node(REGISTRY["Reshape"](shape=(-1,)), name, [(parent, 0)])


@check("Layout._add_view", "a reshaped value has the same memory, and needs no step")
def views() -> None:
    x = Node(None, "x")
    node = _node("made", "exp", x)
    view = _reshape("view", node)
    layout = _layout(_node("last", "sum", view), {"x": FLOATS})
    step = next(s for s in layout.steps if s.node is view)
    expect(step.kernel is None, "exp, then Reshape, then sum: the Reshape has a kernel to run; expected None: its "
           "input is in the block, so the result is a permanent view of it")
    there, here = layout.storage_of[layout.slot_of[node, 0]], layout.storage_of[layout.slot_of[view, 0]]
    expect(there is here, "exp, then Reshape, then sum: the Reshape's result is in another Storage than its input; "
           "expected the same one")
    same("exp, then Reshape, then sum: the last step at which the memory of exp is alive", there.last, 2,
         "sum reads it there, under the name of the view")
    head = _node("head", "exp", x)
    both = _node("both", "relu", _reshape("view", head))
    layout = _both_results(head, both)
    storage = layout.storage_of[layout.slot_of[both.inputs[0]]]
    same("exp is a result, and is reshaped for relu: the kind of the reshaped value's memory", storage.kind, "result",
         "a view of a result is still a view")
    softened = _node("last", "softmax", _reshape("of_x", x))
    layout = _layout(softened, {"x": FLOATS})
    step = layout.steps[0]
    expect(step.kernel is not None, "Reshape of an input of the graph: there is no kernel; expected one that creates "
           "the view when the step runs, because the input's memory is not known before")


def _both_results(head, other):
    from .....symbol.symbol import Symbol
    graph = Symbol([(head, 0), (other, 0)])
    specs = infer_specs(graph, {"x": FLOATS})
    return Layout(graph, 2, specs, [node for node in graph.nodes() if node.op is None], cpu(), False)


def _columns(*rows):
    """Return the result of `placed` for rows (offset, end, first, last)."""
    return np.array(rows, np.int64).reshape(-1, 4).T


@check("_lowest_gap", "a value goes to the lowest place that is free during its lifetime")
def gaps() -> None:
    two = (0, 64, 0, 9), (128, 192, 0, 9)
    for size, first, last, placed, expected, why in [
        (64, 0, 9, (), 0, "nothing is placed yet"),
        (64, 0, 9, two[:1], 64, "the first 64 bytes are taken"),
        (64, 0, 9, two, 64, "there is a gap of 64 bytes, which is enough"),
        (65, 0, 9, two, 192, "the gap is one byte too small"),
        (64, 0, 9, two[1:], 0, "the gap is below the first"),
        (192, 0, 9, two[1:], 192, "it does not fit below the first"),
        (64, 3, 5, [(0, 64, 0, 2), (64, 128, 6, 9)], 0, "the others are alive before and after it"),
        (64, 2, 5, [(0, 64, 0, 2)], 64, "both are alive at step 2"),
        (64, 2, 5, [(0, 64, 5, 9)], 64, "both are alive at step 5"),
        (64, 0, 9, [(0, 64, 4, 5)], 64, "the other is alive in the middle of its lifetime"),
        (64, 4, 5, [(0, 64, 0, 9)], 64, "it is alive in the middle of the other's lifetime"),
        (64, 1, 3, [(0, 256, 0, 1), (64, 128, 3, 4)], 256, "a buffer that begins lower may end higher"),
        (64, 1, 3, [(0, 64, 0, 1), (64, 128, 5, 6), (128, 192, 3, 4)], 64, "the one in between is not alive then"),
    ]:
        case = f"{size} bytes, alive from step {first} to {last}, among (offset, end, first, last): {list(placed)}"
        same(f"{case}: the offset", int(_lowest_gap(size, first, last, _columns(*placed))), expected, why)


def _buffers(*rows):
    """Return buffers a, b, c, ... for rows (size, first, last)."""
    return [Buffer("abcdefgh"[number], *row) for number, row in enumerate(rows)]


@check("assign_offsets", "the largest first, each as low as it fits")
def places() -> None:
    for rows, offsets, size, why in [
        ([(100, 0, 1), (64, 2, 3)], [0, 0], 128, "they are not alive at the same time; sizes are rounded up to 64"),
        ([(64, 0, 1), (64, 1, 2)], [0, 64], 128, "both are alive at step 1"),
        ([(64, 0, 2), (640, 1, 3)], [640, 0], 704, "the largest comes first"),
        ([(64, 1, 3), (64, 0, 2)], [64, 0], 128, "of two with the same size, the one that begins first"),
        ([(640, 0, 1), (64, 0, 5), (512, 2, 3), (128, 4, 5)], [0, 640, 0, 0], 704, "three take turns below one buffer"),
        ([(65, 0, 0), (1, 0, 0)], [0, 128], 192, "each offset is a multiple of 64"),
        ([], [], 0, "there is nothing to place"),
    ]:
        buffers = _buffers(*rows)
        actual = assign_offsets(buffers)
        case = f"buffers of (size, first, last) {rows}"
        same(f"{case}: their offsets", [None if b.offset is None else int(b.offset) for b in buffers], offsets, why)
        same(f"{case}: the size of the block", actual, size, "the end of the highest one")
    buffers = [Buffer("a", 64, 0, 1, "result"), Buffer("b", 64, 0, 1, "own"), Buffer("c", 64, 0, 1, "scratch")]
    assign_offsets(buffers)
    same("a result, a kernel's own memory and a scratch buffer: their offsets", [b.offset for b in buffers],
         [None, None, 0], "only values and scratch buffers are in the block")


@check("assign_offsets", "of forty buffers, no two that are alive at the same time overlap, and none could be lower")
def many_places() -> None:
    rng = np.random.RandomState(3)
    for _ in range(4):
        first = rng.randint(0, 30, 40)
        buffers = [Buffer(f"buffer{n}", int(64 * rng.randint(1, 9)), int(f), int(f + rng.randint(0, 8)))
                   for n, f in enumerate(first)]
        size = assign_offsets(buffers)
        ends = {b.name: b.offset + b.size for b in buffers}
        for one, other in combinations(buffers, 2):
            apart = ends[one.name] <= other.offset or ends[other.name] <= one.offset
            expect(apart or not one.lives_with(other), "bytes {a} to {b} from step {c} to {d} and bytes {e} to {f} "
                   "from step {g} to {h} overlap", a=one.offset, b=ends[one.name], c=one.first, d=one.last,
                   e=other.offset, f=ends[other.name], g=other.first, h=other.last)
        same("forty buffers: the size of the block", size, int(max(ends.values())), "the end of the highest one")
        before = sorted(buffers, key=lambda b: (-b.size, b.first))
        for number, buffer in enumerate(before):
            rivals = [b for b in before[:number] if b.lives_with(buffer)]
            lower = min(offset for offset in [0, *[ends[b.name] for b in rivals]]
                        if all(offset + buffer.size <= b.offset or ends[b.name] <= offset for b in rivals))
            same(f"{buffer.size} bytes from step {buffer.first} to {buffer.last}, among forty buffers: the offset",
                 int(buffer.offset), int(lower), "as low as it fits among those placed before it")


@check("assign_offsets", "a chain of layers of any length needs two buffers")
def a_chain() -> None:
    node = Node(None, "x")
    variables = {"x": FLOATS}
    for number in range(6):
        weight = Node(None, f"w{number}")
        variables[weight.name] = FLOATS
        layer = Node(REGISTRY["FullyConnected"](num_hidden=4, no_bias=True), f"layer{number}", [(node, 0), (weight, 0)])
        node = _node(f"relu{number}", "relu", layer)
    layout = _layout(node, variables)
    same("six layers of 64 bytes with relu: bytes of the block", layout.memory.size, 128,
         "each relu overwrites its layer's result; one buffer is read while the other is written")
    shared = [b.shared_by for b in layout.memory.buffers if b.shared_by]
    same("six layers with relu: the number of buffers that hold two values", len(shared), 6, "each relu is in place")

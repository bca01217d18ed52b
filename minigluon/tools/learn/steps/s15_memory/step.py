"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

MEMORY = "minigluon.hybrid.memory"
LAYOUT = "minigluon.hybrid.layout"

STEP = Step(
    title="The memory plan: lifetimes and places",
    parts=[
        Part(LAYOUT, "Storage.__init__"),
        Part(LAYOUT, "Storage.add"),
        Part(LAYOUT, "Layout._find_last_uses", (Hole(
            "run is the list of nodes in the order in which they run; a node's position in it is its step. Fill the "
            "dict self.last_use: for each pair (node, index) that is read, the last step that reads it. The pairs in "
            "self.heads are results, which stay alive after the last step, so their last use is len(run). Values that "
            "are never read are not in the dict."),)),
        Part(LAYOUT, "Layout._add_view", (Hole(
            "source is the Storage of the input, or None if its memory is not planned (for example, an input of the "
            "graph). If it is planned memory, of kind 'value', 'result' or 'gradient', store the pair there with "
            "self._store(storage, pair), and return None: there is nothing to run.",
            "if source is not None"),), in_lenet=False),
        Part(LAYOUT, "Layout._in_place", (Hole(
            "names and storages have one item for each input. Return the first Storage that the node may overwrite, if "
            "there is one. The conditions: the memory is planned (not None) and of kind 'value'; no step after this "
            "position reads any of its members; the input has the spec of the output and fills the storage; and the "
            "operator allows it. A storage may be an input under several names, and all of them must be in "
            "op.in_place.",
            "for pair, storage in"),)),
        Part(MEMORY, "assign_offsets", (Hole(
            "place the buffers, the largest first, and of two with the same size the one that begins first. Store each "
            "one's offset in buffer.offset, and add it to `placed` as a column (offset, end, first, last), with its "
            "size rounded up by _aligned. Pass _lowest_gap only the filled columns; they must be sorted by offset.",
            "for count, buffer in"),)),
        Part(MEMORY, "_lowest_gap", (Hole(
            "the columns of placed have ascending offsets. Those that are alive at any step from first to last are in "
            "the way. Return the lowest offset at which `size` bytes overlap none of them.",),)),
        Part(MEMORY, "_aligned"),
    ],
    hints={
        "Layout._find_last_uses": [
            "Go through the steps from first to last, and store the position for each input: a later one overwrites an "
            "earlier one.",
            "A head may also be read by steps. It still has to live until the end, so set the heads last.",
        ],
        "Layout._add_view": [
            "In planned memory, the view is another member of the same Storage; self._store also extends its lifetime.",
        ],
        "Layout._in_place": [
            "storage.last is the last step that reads any member. The step at `position` reads it itself, so it is not "
            "an obstacle.",
            "self.specs[pair] is the input's spec, _bytes(spec) the size of the output.",
            "The names of a storage are those whose item in storages is that storage.",
        ],
        "assign_offsets": [
            "Use sorted(inside, key=...) with a key of two numbers, the first of them negative.",
            "_lowest_gap(size, buffer.first, buffer.last, placed[:, :count]) with the size rounded up.",
            "np.searchsorted(placed[0, :count], offset) returns the position of a new column; the columns from there "
            "on move by one.",
        ],
        "_lowest_gap": [
            "Two lifetimes overlap if each begins before the other has ended. Both ends are included.",
            "Go from the bottom up, and keep in `low` where the buffers below end. If the next one's offset is at "
            "least low + size, that is the gap. Otherwise low becomes at least the end of that one.",
            "It is not enough to look at the buffer just below: a large one may begin lower and end higher.",
        ],
    },
    equivalent={
        "Layout._add_view: ('value', 'result', 'gradient')  ->  ('result', 'value', 'gradient')":
            "it is only tested for membership",
    },
)

"""What is cut out of the engine."""

from ...step import Hole, Part, Step

MEMORY = "minigluon.hybrid.memory"
LAYOUT = "minigluon.hybrid.layout"

STEP = Step(
    title="The memory plan: who lives when, and where",
    parts=[
        Part(LAYOUT, "Storage.__init__"),
        Part(LAYOUT, "Storage.add"),
        Part(LAYOUT, "Layout._find_last_uses", (Hole(
            "run is the list of nodes in the order in which they run; a node's position in it is its step. Fill the "
            "dict self.last_use: for each pair (node, index) that is read, the last step that reads it. The pairs in "
            "self.heads are results: they live on after the last step, so theirs is len(run). What is never read is "
            "not in the dict."),)),
        Part(LAYOUT, "Layout._add_view", (Hole(
            "source is the Storage of the input, None for what is not planned (an input of the graph, for one). If it "
            "is planned memory, of kind 'value', 'result' or 'gradient', store the pair there with "
            "self._store(storage, pair), and return None: there is nothing to run.",
            "if source is not None"),), in_lenet=False),
        Part(LAYOUT, "Layout._in_place", (Hole(
            "names and storages have one item for each input. Return the first Storage that the node may overwrite, if "
            "there is one. It may if the memory is planned (not None) and of kind 'value'; if no step behind this "
            "position reads any of its members; if the input has the spec of the output and fills the storage; and if "
            "the operator allows it: an input may lie there under two names, and all of them must be in "
            "op.in_place.",
            "for pair, storage in"),)),
        Part(MEMORY, "lay_out", (Hole(
            "place the buffers, the largest first; of two with the same size the one that begins first. Write each "
            "one's offset down in buffer.offset, and put it into `placed` as a column (offset, end, first, last), with "
            "its size rounded up by _aligned. The columns must be sorted by their offsets whenever _lowest_gap gets "
            "them; it gets those that are filled.",
            "for count, buffer in"),)),
        Part(MEMORY, "_lowest_gap", (Hole(
            "the columns of placed have ascending offsets. Those that live at a step from first to last are in the "
            "way. Return the lowest offset from which `size` bytes reach none of them.",),)),
        Part(MEMORY, "_aligned"),
    ],
    hints={
        "Layout._find_last_uses": [
            "Go through the steps from first to last, and write down the position for each input: a later one "
            "overwrites an earlier one.",
            "A head may be read by steps as well. It still has to live until the end, so heads come last.",
        ],
        "Layout._add_view": [
            "In planned memory the view is another member of the same Storage; self._store also makes it live longer.",
        ],
        "Layout._in_place": [
            "storage.last is the last step that reads any member. The step at `position` reads it itself, so that one "
            "is no obstacle.",
            "self.specs[pair] is the input's spec, _bytes(spec) the size of the output.",
            "The names under which a storage comes in: those whose item in storages is that storage.",
        ],
        "lay_out": [
            "sorted(inside, key=...) with a key of two numbers, of which the first is negative.",
            "_lowest_gap(size, buffer.first, buffer.last, placed[:, :count]) with the size rounded up.",
            "np.searchsorted(placed[0, :count], offset) tells where a column belongs; those from there on move by one.",
        ],
        "_lowest_gap": [
            "Two lifetimes touch when each begins before the other has ended. Both ends are included.",
            "Go from the bottom up, and remember where what lies below has ended: `low`. Is the next one's offset at "
            "least low + size, then there is the gap. Otherwise low is at least where that one ends.",
            "It is not enough to look at the one just below: a large one may begin lower and end higher than it.",
        ],
    },
    equivalent={
        "Layout._add_view: ('value', 'result', 'gradient')  ->  ('result', 'value', 'gradient')":
            "it is only asked what is in it",
    },
)

"""What is cut out of the engine."""

from ...step import Hole, Part, Step

BLOCK, PARAMS = "minigluon.gluon.block", "minigluon.gluon.block_params"

STEP = Step(
    title="Block, its children and their names",
    parts=[
        Part("minigluon.name", "NameManager.get", (Hole(
            "the name, if the user gave one. Otherwise the hint and how often it has been asked for before: 'dense0', "
            "'dense1', ... Each manager counts each hint in self._counts.",),)),
        Part("minigluon.name", "Prefix.get", (Hole(
            "the same with self._prefix in front. What NameManager does, super() does.",),), in_lenet=False),
        Part(BLOCK, "_name_block", (
            Hole("with prefix=None the maker has not said how the block is called. Outside of all blocks the current "
                 "NameManager counts the hint: 'dense0_'. Inside of one, that block's _counters do, a dict from hints "
                 "to numbers.", "if prefix is None"),
            Hole("the full prefix: within a block, its prefix comes first.", "full ="))),
        Part(PARAMS, "BlockParams.collect_params", (
            Hole("(name, parameter) pairs of this block's own parameters, only those whose names pattern.match "
                 "accepts, if there is a pattern; put them into found, whose update takes a dict.",
                 "own =", "found.update(dict(own))"),
            Hole("take in what each child collects.", "for child in"))),
        Part(PARAMS, "BlockParams._collect_params_with_prefix", (
            Hole("a dot goes behind a prefix that is not empty; then found is a dict of this block's registered "
                 "parameters, each under the prefix and its attribute's name.", "prefix =", "found ="),
            Hole("take in those of each child, under the prefix and the name of the child.", "for key, child")),
             in_lenet=False),
        Part(BLOCK, "Block.__setattr__", (Hole(
            "a Block is registered as a child under the name of the attribute. A Parameter goes into self._reg_params "
            "under that name, and is told its owner, value._set_owner(self); an MXNetError where another parameter is "
            "there already. Anything else is just an attribute.",
            "if isinstance(value, Block):"),)),
        Part(BLOCK, "Block._call_with_hooks", (Hole(
            "call each of self._forward_pre_hooks with (block, args), then forward, then each of self._forward_hooks "
            "with (block, args, out). Both are dicts from ids to hooks. A hook may take itself away while it runs.",),),
             in_lenet=False),
    ],
    hints={
        "NameManager.get": ["self._counts.get(hint, 0) is how often; then put one more there."],
        "Prefix.get": ["super().get(name, hint) counts; a name that the user gave gets the prefix, too."],
        "_name_block": [
            "name.current().get(None, hint) counts outside of all blocks, and gives no underscore.",
            "parent is None says that there is no block around. parent.prefix ends with an underscore already.",
        ],
        "Block.__setattr__": ["Two cases, if and elif; setting the attribute itself is the last line, which is there."],
        "BlockParams.collect_params": [
            "self.params.items() are the pairs. Without a pattern all are taken.",
            "child.collect_params(select) does the same for a child, and its children.",
        ],
        "BlockParams._collect_params_with_prefix": [
            "In a file the weight of net[0] is '0.weight', and at the top there is no dot in front.",
            "child._collect_params_with_prefix(prefix + key) does the rest.",
        ],
        "Block._call_with_hooks": ["list(dict.values()) is a copy, which a hook that detaches itself leaves alone."],
    },
)

"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

BLOCK, PARAMS = "minigluon.gluon.block", "minigluon.gluon.block_params"

STEP = Step(
    title="Block, its children and their names",
    parts=[
        Part("minigluon.name", "NameManager.get", (Hole(
            "return the name if the user gave one. Otherwise return the hint and the number of earlier requests for "
            "it: 'dense0', 'dense1', ... Each manager counts each hint in self._counts.",),)),
        Part("minigluon.name", "Prefix.get", (Hole(
            "the same with self._prefix in front. super() does what NameManager does.",),), in_lenet=False),
        Part(BLOCK, "_name_block", (
            Hole("with prefix=None, the block was created without a name. Outside all blocks, the current NameManager "
                 "counts the hint: 'dense0_'. Inside a block, that block's _counters do, a dict from hints to "
                 "numbers.", "if prefix is None"),
            Hole("the full prefix: inside a block, that block's prefix comes first.", "full ="))),
        Part(PARAMS, "BlockParams.collect_params", (
            Hole("(name, parameter) pairs of this block's own parameters; if there is a pattern, only those whose "
                 "names pattern.match accepts. Put them into params, whose update takes a dict.",
                 "own =", "params.update(dict(own))"),
            Hole("add the parameters that each child collects.", "for child in"))),
        Part(PARAMS, "BlockParams._collect_params_with_prefix", (
            Hole("add a dot to a prefix that is not empty; then params is a dict of this block's registered "
                 "parameters, each under the prefix and its attribute's name.", "prefix =", "params ="),
            Hole("add those of each child, under the prefix and the name of the child.", "for key, child")),
             in_lenet=False),
        Part("minigluon.gluon.block_tree", "BlockTree.__setattr__", (Hole(
            "a Block is registered as a child under the name of the attribute. A Parameter goes into self._reg_params "
            "under that name, and value._set_owner(self) sets its owner; raise an MXNetError if another parameter is "
            "already there. Anything else is just an attribute.",
            "if isinstance(value, BlockTree):"),)),
        Part("minigluon.gluon.hooks", "BlockHooks._call_with_hooks", (Hole(
            "call each of self._forward_pre_hooks with (block, args), then forward, then each of self._forward_hooks "
            "with (block, args, out). Both are dicts from ids to hooks. A hook may remove itself while it runs.",),),
             in_lenet=False),
    ],
    hints={
        "NameManager.get": ["self._counts.get(hint, 0) is the number so far; then increase it by one."],
        "Prefix.get": ["super().get(name, hint) counts; a name given by the user also gets the prefix."],
        "_name_block": [
            "name.current().get(None, hint) counts outside all blocks, and adds no underscore.",
            "parent is None if there is no enclosing block. parent.prefix already ends with an underscore.",
        ],
        "BlockTree.__setattr__": ["Two cases, if and elif; the last line, which sets the attribute itself, is already "
                              "there."],
        "BlockParams.collect_params": [
            "self.params.items() are the pairs. Without a pattern, all of them count.",
            "child.collect_params(select) does the same for a child, and its children.",
        ],
        "BlockParams._collect_params_with_prefix": [
            "In a file, the weight of net[0] is '0.weight', and the top level has no dot in front.",
            "child._collect_params_with_prefix(prefix + key) does the rest.",
        ],
        "BlockHooks._call_with_hooks": [
            "list(dict.values()) is a copy, which does not change when a hook detaches itself.",
        ],
    },
)

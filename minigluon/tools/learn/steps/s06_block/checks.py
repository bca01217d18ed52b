"""The checks of step 6, with simple blocks, because there are no layers yet."""

from __future__ import annotations

from typing import Any

from ..... import name
from ..... import ndarray as nd
from .....base import MXNetError
from .....gluon.block import Block, _name_block
from .....gluon.parameter import Parameter
from .....name import NameManager, Prefix
from ...checking import check, expect, same, wrong


class Layer(Block):
    """A block with one parameter."""

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        with self.name_scope():
            self.weight: Parameter = self.params.get("weight", shape=(2,))

    def forward(self, x: Any) -> Any:
        return x * 2


class Net(Block):
    """A block with two layers and a parameter of its own."""

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        with self.name_scope():
            self.scale: Parameter = self.params.get("scale", shape=(1,))
            self.first: Layer = Layer()
            self.second: Layer = Layer()

    def forward(self, x: Any) -> Any:
        return self.second(self.first(x))


@check("NameManager.get", "without a given name, the hint is counted")
def counts_names() -> None:
    manager = NameManager()
    same("NameManager: get(None, 'dense') twice, then get(None, 'conv'), then get(None, 'dense')",
         [manager.get(None,"dense"), manager.get(None, "dense"), manager.get(None, "conv"), manager.get(None, "dense")],
         ["dense0", "dense1", "conv0", "dense2"], "each hint is counted separately")
    same("get('mine', 'dense')", manager.get("mine", "dense"), "mine", "a given name is used")
    same("and then get(None, 'dense')", manager.get(None, "dense"), "dense3", "a given name is not counted")
    same("get(None, 'dense') of another NameManager", NameManager().get(None, "dense"), "dense0",
         "each manager has its own counts")


@check("Prefix.get", "a prefix goes before every name")
def prefixes_names() -> None:
    manager = Prefix("net_")
    same("Prefix('net_'): get(None, 'dense') twice", [manager.get(None, "dense"), manager.get(None, "dense")],
         ["net_dense0", "net_dense1"], "the prefix, the hint and its count")
    same("Prefix('net_'): get('mine', 'dense')", manager.get("mine", "dense"), "net_mine", "also before a given name")


@check("_name_block", "a block outside all others is counted by the current NameManager")
def names_outside() -> None:
    with NameManager():
        prefixes = [_name_block(None, None, "layer")[0] for _ in range(2)]
        same("_name_block(None, None, 'layer') twice, in a new NameManager: the prefixes", prefixes,
             ["layer0_", "layer1_"], "name.current() counts them, and an underscore ends a prefix")
        same("_name_block('mine_', None, 'layer'): the prefix", _name_block("mine_", None, "layer")[0], "mine_",
             "a given prefix is used")
        same("the name that is counted next", name.current().get(None, "layer"), "layer2",
             "a given prefix is not counted")


@check("_name_block", "inside a block, that block counts, and its prefix comes first")
def names_inside() -> None:
    with NameManager():
        net = Net()
        same("Net with two Layers created in its name_scope(): their prefixes", [net.first.prefix, net.second.prefix],
             ["net0_layer0_", "net0_layer1_"], "the prefix of Net, then class and count")
        same("the prefixes in a second Net", Net().second.prefix, "net1_layer1_", "each block counts its own children")
        same("the name of its weight", net.first.weight.name, "net0_layer0_weight",
             "a parameter's name begins with the prefix of its block")
        with net.name_scope():
            same("Layer(prefix='mine_') inside Net: its prefix", Layer(prefix="mine_").prefix, "net0_mine_",
                 "the prefix of the enclosing block comes first, also before a given one")
            same("the next Layer inside: its prefix", Layer().prefix, "net0_layer2_", "'mine_' was not counted")
        same("a Layer outside again: its prefix", Layer().prefix, "layer0_", "there is no enclosing block")


@check("BlockTree.__setattr__", "blocks and parameters that are set as attributes are registered")
def registers() -> None:
    net = Net()
    same("Net with self.first and self.second: the names of its children", list(net._children), ["first", "second"],
         "self.register_child(value, key)")
    expect(net._children.get("first") is net.first, "net._children['first'] is not net.first")
    same("Net with self.scale, a Parameter: the names in _reg_params", list(net._reg_params), ["scale"],
         "a Parameter goes into self._reg_params under the name of the attribute")
    expect(net._reg_params["scale"] is net.scale, "net._reg_params['scale'] is not net.scale")
    expect(net.scale._owner is not None and net.scale._owner() is net, "net.scale does not know its block; "
           "value._set_owner(self) sets it")
    net.number = 3
    same("net.number = 3: the attribute", net.number, 3, "anything else is just an attribute")
    same("net.number = 3: children and parameters", (list(net._children), list(net._reg_params)),
         (["first", "second"], ["scale"]), "a number is neither")
    net.scale = net.scale                   # repeating the assignment changes nothing
    del net.__dict__["scale"]
    try:
        net.scale = Parameter("other", shape=(1,))
    except MXNetError:
        pass
    else:
        wrong("net.scale = another Parameter: nothing is raised; expected an MXNetError: a registered parameter cannot "
              "be replaced, because files and trainers hold the first one")
    same("_reg_params['scale'] after that error", net._reg_params["scale"].name, net.prefix + "scale",
         "the first parameter stays")


@check("BlockParams.collect_params", "all parameters of the block and its children are collected")
def collects() -> None:
    with NameManager():
        net = Net()
    expected = ["net0_scale", "net0_layer0_weight", "net0_layer1_weight"]
    same("net.collect_params() of Net with two Layers: the names", list(net.collect_params().keys()), expected,
         "its own first, then those of the children, in order")
    outer = Block(prefix="outer_")
    outer.inner = net
    same("collect_params() of an enclosing block", list(outer.collect_params().keys()), expected,
         "including children of children")
    same("net.collect_params('.*weight')", list(net.collect_params(".*weight").keys()), expected[1:],
         "of its own and of the children's, only names that match")
    same("net.collect_params('net0_scale|net0_layer1')", list(net.collect_params("net0_scale|net0_layer1").keys()),
         ["net0_scale", "net0_layer1_weight"], "select is also passed to the children")


@check("BlockParams._collect_params_with_prefix", "in files, names follow the tree of blocks")
def structural_names() -> None:
    net = Net()
    same("net._collect_params_with_prefix(): the names", list(net._collect_params_with_prefix()),
         ["scale", "first.weight", "second.weight"], "attributes from the top down, separated by dots")
    outer = Block()
    outer.inner = net
    same("the names in an enclosing block", list(outer._collect_params_with_prefix()),
         ["inner.scale", "inner.first.weight", "inner.second.weight"], "a dot between the levels")
    expect(net._collect_params_with_prefix().get("first.weight") is net.first.weight, "'first.weight' is not the "
           "weight of net.first")


@check("BlockHooks._call_with_hooks", "hooks are called before and after forward")
def calls_hooks() -> None:
    log = []

    class Logged(Block):
        def forward(self, x):
            log.append("forward")
            return x * 2

    net, x = Logged(), nd.array([1, 2])
    net.register_forward_pre_hook(lambda block, args: log.append(("before", block is net, len(args), args[0] is x)))
    net.register_forward_hook(lambda block, args, out: log.append(
        ("after", block is net, args[0] is x, out.asnumpy()[0])))
    out = net(x)
    expect(out is not None and out.asnumpy().tolist() == [2, 4], "a block that doubles, with hooks: its result for [1, "
           "2] is {found}; expected [2, 4], the result of forward", found=out)
    expected = [("before", True, 1, True), "forward", ("after", True, True, 2.0)]
    same("the calls and their arguments", log, expected, "(block, args) before, and (block, args, out) after")
    net = Layer()
    handles = []
    handles.append(net.register_forward_pre_hook(lambda block, args: handles[0].detach()))
    handles.append(net.register_forward_hook(lambda block, args, out: handles[1].detach()))
    net.register_forward_pre_hook(lambda block, args: None)
    net.register_forward_hook(lambda block, args, out: None)
    for _ in range(2):
        try:
            net(x)
        except RuntimeError as error:
            wrong("a hook that detaches itself while it runs: {error}. Iterate over a copy of the hooks", error=error)

"""What the class Op offers to authors of operators: five things to write, fourteen names for special operators."""

import re

import numpy as np

from minigluon.ops import REGISTRY, Op
from minigluon.ops.declarations import Declarations
from minigluon.ops.kinds import Elementwise
from minigluon.ops.registry import define

WRITTEN = {"infer_shape", "forward", "gradient"}            # of the five; the class and `register` are the others
TABLE = re.findall(r"^ *\| `(\w+)", Declarations.__doc__, re.MULTILINE)
# What `register` fills in, what is derived, and what users of an operator call.
OFFERED = {"arguments", "variadic", "fields", "takes_train", "random", "differentiable", "elementwise", "is_view",
           "num_visible_outputs", "argument_names", "complete", "attributes"}


def subclasses(cls):
    for sub in cls.__subclasses__():
        yield sub
        yield from subclasses(sub)


def test_fourteen_names_stand_in_the_table():
    assert len(TABLE) == 14 == len(set(TABLE))
    names = {name for cls in (Op, Declarations) for name in vars(cls)}
    assert {name for name in names if not name.startswith("_")} == WRITTEN | set(TABLE) | OFFERED


def test_classes_set_what_is_theirs():
    """What is derived, a class sets only where it depends on attributes, beside the method that it is derived from."""
    for cls in subclasses(Op):
        own = vars(cls)
        assert "num_visible_outputs" not in own, cls
        for name, method in (("takes_train", "forward"), ("random", "forward"), ("differentiable", "gradient")):
            assert name not in own or method in own, f"{cls} sets {name} without {method}"
        by_hand = own.get("elementwise") is True and cls is not Elementwise
        assert not by_hand, f"{cls} does not derive from Elementwise"


def test_forward_and_gradient_are_looked_at():
    def derived(cls):
        return cls.takes_train, cls.random, cls.differentiable

    class Plain(Op):
        def forward(self, data):
            return data

    class Drawn(Plain):
        gradient = None

        def forward(self, data, train, *, rng=None):
            return data

    class Inherited(Drawn):
        def infer_dtype(self, data):
            return [data], [data]

    class Anew(Drawn):
        def forward(self, data):
            return data

        def gradient(self, F, out_grads, inputs, outputs):
            return out_grads[0]

    class OnDemand(Plain):
        often: bool = False
        random = property(lambda self: self.often)

        def forward(self, data, rng=None):
            return data

    assert derived(Op) == derived(Plain) == derived(Anew) == (False, False, True)
    assert derived(Drawn) == derived(Inherited) == (True, True, False)
    assert OnDemand.takes_train is False
    assert isinstance(OnDemand.random, property)


def test_a_row_of_a_table_is_looked_at_too():
    try:
        row = define("_test_row", ["data"], Op, "A row.", forward=np.negative, gradient=None)
        assert (row.takes_train, row.random, row.differentiable) == (False, False, False)
    finally:
        REGISTRY.pop("_test_row", None)


def test_output_names_tell_which_outputs_are_hidden():
    dropout, split, norm = REGISTRY["Dropout"](), REGISTRY["SliceChannel"](num_outputs=3), REGISTRY["LayerNorm"]
    assert (dropout.num_outputs, dropout.num_visible_outputs) == (2, 1)
    assert (split.num_outputs, split.num_visible_outputs) == (3, 3)
    assert [norm(output_mean_var=seen).num_visible_outputs for seen in (False, True)] == [1, 3]
    assert (REGISTRY["_histogram"](bin_cnt=2, range=(0, 1)).num_visible_outputs) == 2

"""Declarations in an operator's class: names that special operators set, their defaults, and derived values."""

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from .fields import Field
from .shapes import FullShape

__all__ = ["Declarations"]


class Declarations:
    """Mixin for `Op` with the names that special operators set.

    They set some of these fourteen names. Names that are not methods may be properties:

    | name | meaning | default |
    |---|---|---|
    | `keeps` | what `gradient` reads: "inputs", "outputs"; "shapes" for the inputs' shapes and dtypes | both |
    | `takes_none` | True: `gradient` gets None, not zeros, for an output that no gradient reaches | False |
    | `mutates` | names of the inputs that are overwritten; `forward` also returns their new values, after the outputs |
    none |
    | `num_outputs` | how many outputs there are; hidden ones, such as a dropout mask, come last | 1 |
    | `output_names` | names of the outputs that are not hidden | (): no names, so a graph numbers them |
    | `dynamic` | True: the output's shape depends on values, and `infer_shape` returns None for such lengths | False |
    | `shape_only` | names of the inputs whose elements are not read, only shape and dtype: a plan frees the elements |
    none |
    | `in_place` | names of the inputs whose memory an output of the same size may reuse | all, if elementwise |
    | `list_arguments()` | names of the inputs that these attributes require: no bias with no_bias=True | all |
    | `infer_dtype(*dtypes)` | dtypes of inputs and outputs, in the form in which `infer_shape` returns shapes | one for
    all |
    | `infer_inputs(shapes, outputs)` | input shapes that follow from those of the outputs | if elementwise |
    | `index_ranges(*shapes)` | the valid indices or labels in an input, for debug mode | {}: there are none |
    | `fillings(*inputs)` | where such an input contains padding, which the operator does not read | {}: nowhere |
    | `recompute_as` | (op, operands) that recompute the first output without overwriting inputs, as `forward` would |
    None |
    """

    # Set by `register`.
    name: ClassVar[str]                         # the public name, as in nd.<name>
    arguments: ClassVar[tuple[str, ...]] = ()   # names of the inputs
    variadic: ClassVar[bool] = False            # whether there may be any number of inputs: concat, add_n, ...
    fields: ClassVar[dict[str, Field]] = {}     # the attributes' fields, by name

    # Derived from the signatures of `forward` and `gradient`. If they depend on attributes, the class that defines the
    # method defines a property instead.
    takes_train: ClassVar[bool] = False         # whether forward has a parameter `train`
    random: ClassVar[bool] = False              # whether forward has a parameter `rng`
    differentiable: ClassVar[bool] = True       # False if `gradient = None`

    # Set by the base classes `Elementwise` and `View`, for the passes of `hybrid`; properties if they depend on
    # attributes.
    elementwise: ClassVar[bool] = False         # out[i] depends only on each input's element i; equal shapes, one dtype
    is_view: ClassVar[bool] = False             # the first input's elements in the same order, with a different shape

    # Defaults of the table.
    keeps: ClassVar[tuple[str, ...]] = ("inputs", "outputs")
    takes_none: ClassVar[bool] = False
    mutates: ClassVar[tuple[str, ...]] = ()
    # An operand k >= 0 is an input; -1 - k is the output with index k.
    recompute_as: ClassVar[tuple[Any, tuple[int, ...]] | None] = None
    num_outputs: ClassVar[int] = 1
    output_names: ClassVar[tuple[str, ...]] = ()
    dynamic: ClassVar[bool] = False
    shape_only: ClassVar[tuple[str, ...]] = ()

    if TYPE_CHECKING:
        forward: Any
        gradient: Any

    def __init_subclass__(cls) -> None:
        namespace = cls.__dict__
        if "forward" in namespace:
            parameters = _parameters(cls.forward)
            for name, parameter in (("takes_train", "train"), ("random", "rng")):
                if name not in namespace:
                    setattr(cls, name, parameter in parameters)
        if "gradient" in namespace and "differentiable" not in namespace:
            cls.differentiable = cls.gradient is not None

    # -- hints for debug mode about indices and labels ----------------------------------------------------------

    def index_ranges(self, *shapes: FullShape) -> Mapping[str, tuple[float, ...]]:
        """Returns {input: (lowest, highest, other allowed values)} for inputs that contain indices or labels.

        Operators that raise an error for other values return nothing here. Only debug mode reads the values.

        shapes: the shapes of the inputs.

        >>> nd.Embedding.op(input_dim=10, output_dim=4).index_ranges((5,), (10, 4))
        {'data': (0, 9)}
        """
        return {}

    def fillings(self, *inputs: Any) -> Mapping[str, Any]:
        """Returns {input: a boolean array, True for padding} for inputs in `index_ranges`, for debug mode.

        This is only for padding that the operator itself ignores, whatever its value.

        >>> nd.CTCLoss.op(use_label_lengths=True).fillings(np.ones((4, 1, 3)), np.array([[1, 9]]), np.array([1]))
        {'label': array([[False,  True]])}
        """
        return {}


def _parameters(function: Any) -> tuple[str, ...]:
    """Return the names of a function's parameters, () for a NumPy function. (`inspect.signature` slows the import.)"""
    code = getattr(inspect.unwrap(function) if hasattr(function, "__wrapped__") else function, "__code__", None)
    return () if code is None else code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]

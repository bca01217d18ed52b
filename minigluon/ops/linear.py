"""Operators that are linear in one input, and their adjoints: two kernels that are each other's gradient.

An operator y = A x has the gradient Aᵀ g, and the gradient of Aᵀ is A again. Therefore the class defines `forward` (A)
and `adjoint` (Aᵀ), and `linear` registers both, such as `tile` and `_tile_grad`. This gives gradients of any order.
"""

from .op import Op
from .registry import register

__all__ = ["Linear", "linear"]


class Linear(Op):
    """Base class of operators that are linear in the input `linear_in`; the other inputs (indices) have no gradient."""

    linear_in = 0
    keeps = ("shapes",)         # ("inputs",) if the values of other inputs matter

    def adjoint(self, grad, *inputs):
        """Returns the gradient of the linear input, with its shape. It must not use the values of that input."""
        raise NotImplementedError(f"{self.name} has no adjoint")

    def gradient(self, F, out_grads, inputs, outputs):
        grads = [None] * len(inputs)
        grads[self.linear_in] = getattr(F, adjoint_name(self.name))(out_grads[0], *inputs, **self.attributes)
        return grads


class Adjoint(Op):
    """Aᵀ for the operator class `of`. Inputs: the head gradient, then all inputs of the operator."""

    of = None

    @property
    def keeps(self):
        return self.of.keeps

    @property
    def shape_only(self):
        """The inputs whose values are not used: the linear input, or all inputs if the gradient needs only shapes."""
        names = tuple(self.operator.argument_names(self.num_args)) if self.of.variadic else self.of.arguments
        return names if self.of.keeps == ("shapes",) else names[self.of.linear_in:][:1]

    @property
    def operator(self):
        """The operator whose adjoint this is, with the same attributes."""
        return self.of(**self.attributes)

    @property
    def num_inputs(self):
        return self.num_args if self.of.variadic else 1 + len(self.operator.list_arguments())

    def argument_names(self, count):
        return ["grad", *self.operator.argument_names(count - 1)]

    def infer_shape(self, grad, *shapes):
        shapes, (output,) = self.operator.infer_shape(*shapes)
        return [self.require("grad", grad, output), *shapes], [shapes[self.of.linear_in]]

    def infer_dtype(self, grad, *dtypes):
        dtypes, (output,) = self.operator.infer_dtype(*dtypes)
        grad = self.require_dtype("grad", grad, output)
        return [grad, *dtypes], [grad]

    def forward(self, grad, *inputs):
        return self.operator.adjoint(grad, *inputs)

    def gradient(self, F, out_grads, inputs, outputs):
        inputs = list(inputs[1:])
        inputs[self.of.linear_in] = out_grads[0]
        return [getattr(F, self.of.name)(*inputs, **self.attributes)] + [None] * len(inputs)


def adjoint_name(name):
    """Returns the name of an adjoint, without the prefix of `_contrib_X`, which would put it in `nd.contrib`."""
    return f"_{name.removeprefix('_contrib_').lstrip('_')}_grad"


def linear(*arguments, name=None, aliases=()):
    """Class decorator like `register`, for a subclass of `Linear`: registers the operator and its adjoint."""
    def enter(cls):
        register(*arguments, name=name, aliases=aliases)(cls)
        inputs = arguments if cls.variadic else ("grad", *arguments)
        # The adjoint has the operator's attributes, so its fields come from the same annotations.
        members = {"__doc__": f"The adjoint of {cls.name}: from a gradient of its output to one of its input.",
                   "__module__": cls.__module__, "of": cls,
                   "__annotations__": {field: f.annotation for field, f in cls.fields.items()},
                   **{field: f.default for field, f in cls.fields.items()}}
        register(*inputs, name=adjoint_name(cls.name))(type(adjoint_name(cls.name), (Adjoint,), members))
        return cls
    return enter

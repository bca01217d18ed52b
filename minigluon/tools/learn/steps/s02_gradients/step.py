"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Row, Step

ELEMENTWISE, BROADCAST = "minigluon.ops.math.elementwise", "minigluon.ops.math.broadcast"

STEP = Step(
    title="Gradients of elementwise operators, and of broadcasting",
    parts=[
        Row(ELEMENTWISE, "sqrt", "the gradient of x, from g, the gradient of y = √x. Write it with y."),
        Row(ELEMENTWISE, "sigmoid", "the same for y = 1 / (1 + e⁻ˣ). Its derivative can be written using only y."),
        Row(ELEMENTWISE, "tanh", "the same for y = tanh(x), again using only y; F.square(y) is y².", in_lenet=True),
        Row(BROADCAST, "mul", "two gradients, that of x and that of y, as a tuple, for out = x · y.", in_lenet=True),
        Row(BROADCAST, "div", "the same for out = x / y."),
        Row(BROADCAST, "maximum", "the same for the larger of x and y; where they are equal, x gets all of g. A "
            "comparison such as x >= y returns 1 and 0."),
        Part("minigluon.ops.shapes", "broadcast", (Hole(
            "combine the dimensions x and y into one dimension of out, or return False if the shapes do not match. "
            "None is an unknown dimension. A 1 is stretched to the other dimension, known or not; if one is unknown "
            "and the other is known and not 1, the unknown one can only be 1 or equal to it.",
            "if x == y or y == 1:"),)),
        Part("minigluon.ops.math.stretch", "_sum_like.forward", (Hole(
            "sum data over the axes that broadcasting has added in front, and over those that it has stretched: there, "
            "like has length 1 and data does not. The result has the shape of like and the dtype of data.",
            "extra =", "return sum_along"),)),
        Part(BROADCAST, "Broadcast.gradient", (Hole(
            "get the two gradients from self.derivative(F, g, lhs, rhs, out), and reduce each one that is not None to "
            "the shape of its input with F._sum_like(gradient, input). Return a list.",),)),
    ],
    hints={
        "sqrt_derivative": ["dy/dx = 1 / (2√x), and √x is y. Do not forget g."],
        "sigmoid_derivative": ["dy/dx = e⁻ˣ / (1 + e⁻ˣ)², and e⁻ˣ / (1 + e⁻ˣ) is one minus y."],
        "tanh_derivative": ["dy/dx is one minus the square of y."],
        "mul_derivative": ["What is the derivative of x · y with respect to x? And with respect to y?"],
        "div_derivative": ["x / y is x times the reciprocal of y, and the derivative of 1/y is -1/y²."],
        "maximum_derivative": ["g goes to x where x is at least y, and to y everywhere else: two masks that add up to "
                               "one."],
        "broadcast": [
            "Four cases: x equals y, or y is 1; x is 1; one of them is unknown; none of these.",
            "If x is unknown and y = 3, x is 1 or 3: the result is 3 in both cases. So the known one decides.",
        ],
        "_sum_like.forward": [
            "The first data.ndim - like.ndim axes were added in front.",
            "Axis i of like is axis i + extra of data.",
            "sum_along(data, axes, data.dtype, keepdims=True) sums and keeps the axes; then reshape.",
        ],
        "Broadcast.gradient": [
            "out_grads[0] is g, inputs are lhs and rhs, outputs[0] is the result.",
            "zip(grads, inputs) iterates over both lists at once.",
        ],
    },
    equivalent={
        "_sum_like.forward: (*range(extra), *stretched)  ->  (*stretched, *range(extra))": "the order of axes does not "
                                                                                           "matter",
    },
)

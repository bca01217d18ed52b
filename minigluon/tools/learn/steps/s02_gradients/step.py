"""What is cut out of the engine."""

from ...step import Hole, Part, Row, Step

ELEMENTWISE, BROADCAST = "minigluon.ops.math.elementwise", "minigluon.ops.math.broadcast"

STEP = Step(
    title="Gradients of elementwise operators, and of broadcasting",
    parts=[
        Row(ELEMENTWISE, "sqrt", "the gradient of x, from g, the gradient of y = √x. Write it with y."),
        Row(ELEMENTWISE, "sigmoid", "the same for y = 1 / (1 + e⁻ˣ). Its derivative can be written with y alone."),
        Row(ELEMENTWISE, "tanh", "the same for y = tanh(x), again with y alone; F.square(y) is y².", in_lenet=True),
        Row(BROADCAST, "mul", "two gradients, that of x and that of y, as a tuple, for out = x · y.", in_lenet=True),
        Row(BROADCAST, "div", "the same for out = x / y."),
        Row(BROADCAST, "maximum", "the same for the larger of x and y; where they are equal, x gets all. A comparison "
            "such as x >= y gives 1 and 0."),
        Part("minigluon.ops.shapes", "broadcast", (Hole(
            "the pair x, y of dimensions becomes one dimension of out, or the shapes do not fit: then return False. "
            "None is a dimension that is not known yet. A 1 is stretched to the other dimension, known or not; an "
            "unknown one against a known one that is not 1 can only be 1 or the same.",
            "if x == y or y == 1:"),)),
        Part("minigluon.ops.math.stretch", "_sum_like.forward", (Hole(
            "sum data over the axes that broadcasting has put in front, and over those that it has stretched: like "
            "has length 1 there and data has not. The result has the shape of like, and the dtype of data.",
            "extra =", "return sum_along"),)),
        Part(BROADCAST, "Broadcast.gradient", (Hole(
            "ask self.derivative(F, g, lhs, rhs, out) for the two gradients; each that is not None is brought back to "
            "the shape of its input with F._sum_like(gradient, input). Return a list.",),)),
    ],
    hints={
        "sqrt_derivative": ["dy/dx = 1 / (2√x). You have √x: it is y. Do not forget g."],
        "sigmoid_derivative": ["dy/dx = e⁻ˣ / (1 + e⁻ˣ)², and e⁻ˣ / (1 + e⁻ˣ) is one minus y."],
        "tanh_derivative": ["dy/dx is one minus the square of y."],
        "mul_derivative": ["What is the derivative of x · y by x, with y fixed? And the other way round?"],
        "div_derivative": ["x / y is x times the reciprocal of y, and the derivative of 1/y is -1/y²."],
        "maximum_derivative": ["g goes to x where x is at least y, and to y everywhere else: two masks that add up to "
                               "one."],
        "broadcast": [
            "Four cases: equal or y is 1; x is 1; one of them is unknown; none of these.",
            "With x unknown and y = 3, x is 1 or 3: both give 3. So the known one decides.",
        ],
        "_sum_like.forward": [
            "data.ndim - like.ndim axes were put in front: the first ones.",
            "Axis i of like is axis i + extra of data.",
            "sum_along(data, axes, data.dtype, keepdims=True) sums without losing axes; then reshape.",
        ],
        "Broadcast.gradient": [
            "out_grads[0] is g, inputs are lhs and rhs, outputs[0] is the result.",
            "zip(grads, inputs) walks through both lists at once.",
        ],
    },
    equivalent={
        "_sum_like.forward: (*range(extra), *stretched)  ->  (*stretched, *range(extra))": "axes have no order",
    },
)

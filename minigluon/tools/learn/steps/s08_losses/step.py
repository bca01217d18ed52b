"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

SOFTMAX = "minigluon.ops.nn.softmax"
LOSS = "minigluon.gluon.loss.base"
REGRESSION = "minigluon.gluon.loss.regression"
CLASSIFICATION = "minigluon.gluon.loss.classification"

STEP = Step(
    title="Losses",
    parts=[
        Part(SOFTMAX, "log_normalized", (Hole(
            "compute x - log Σ eˣ along the axis, in a new array, not in x. Subtract the largest element along the "
            "axis first: the result is the same, and no exponential overflows.",
            "x = x - np.maximum", "return x"),)),
        Part(SOFTMAX, "_log_softmax_grad.write", (Hole(
            "write g - eʸ · Σ g, with the sum along the axis, into target, and return target. y is the result of "
            "log_softmax. row is memory for the sum, with length 1 along the axis, or None.",),)),
        Part(LOSS, "Loss._mean", (Hole(
            "return the result of self._weighted for this loss and these weights, averaged over all axes except "
            "self._batch_axis. F.mean takes axis= and exclude=True, which means all other axes.",),)),
        Part(LOSS, "_apply_weighting", (Hole(
            "loss times sample_weight, an array that broadcasts to it; None changes nothing.",
            "if sample_weight is not None"),), in_lenet=False),
        Part(REGRESSION, "L2Loss.hybrid_forward", (Hole(
            "return half the squared difference, times the weight of the loss, averaged for each item. self._like(F, "
            "label, pred) is the label in the shape of pred; self._mean takes the weight as its last argument.",),),
             in_lenet=False),
        Part(CLASSIFICATION, "SigmoidBinaryCrossEntropyLoss._from_logit", (
            Hole("- label · log p - (1 - label) · log(1 - p) for p = sigmoid(pred), of each element. The comment above "
                 "shows how to write both logarithms without overflow. pos_weight, if it is not None, is a factor of "
                 "the first term; it broadcasts to label.",
                 "positive =", "return positive"),), in_lenet=False),
        Part(CLASSIFICATION, "SoftmaxCrossEntropyLoss.hybrid_forward", (
            Hole("turn the scores into log-probabilities along self._axis, with F.log_softmax. With self._from_logits, "
                 "they already are.", "if not self._from_logits"),
            Hole("the loss of each item, with an axis of length 1 in place of the classes. With self._sparse_label, "
                 "labels are class indices: F.pick(values, indices, axis=, keepdims=True) takes the value of each. "
                 "Otherwise they are probabilities of all classes, in any shape with as many elements as pred: use "
                 "F.reshape_like.",
                 "if self._sparse_label"))),
    ],
    hints={
        "log_normalized": [
            "np.maximum.reduce and np.add.reduce with keepdims=True keep the axis, with length 1, so that it "
            "broadcasts.",
            "log Σ e^(x - m) + m is log Σ eˣ, for any m: after subtracting m, nothing has to be added back.",
        ],
        "_log_softmax_grad.write": [
            "np.add.reduce(array, axis, None, row, True) sums along the axis into row, and returns the sum.",
            "np.exp(y, target) writes into target; so do np.multiply and np.subtract with a third argument. But target "
            "may be the memory of g or of y: do not overwrite an array that is still needed.",
        ],
        "Loss._mean": ["self._weighted(F, loss, sample_weight, weight) first, then F.mean."],
        "_apply_weighting": ["F.broadcast_mul is the product with broadcasting."],
        "L2Loss.hybrid_forward": ["F.square of the difference; the weight is self._weight / 2."],
        "SigmoidBinaryCrossEntropyLoss._from_logit": [
            'F.Activation(x, act_type="softrelu") is log(1 + eˣ).',
            "The two terms are label · softrelu(-x) and (1 - label) · softrelu(x). F.broadcast_mul multiplies label "
            "with pos_weight.",
        ],
        "SoftmaxCrossEntropyLoss.hybrid_forward": [
            "A loss is *minus* the logarithm of the probability of the correct class.",
            "With probabilities as labels: minus the sum over self._axis of probabilities times logarithms, "
            "keepdims=True.",
        ],
    },
    equivalent={
        "_log_softmax_grad.write: np.multiply(np.exp(y, target), row, target)  ->  "
        "np.multiply(row, np.exp(y, target), target)": "the order of a product does not matter",
        "_apply_weighting: F.broadcast_mul(loss, sample_weight)  ->  F.broadcast_mul(sample_weight, loss)":
            "the order of a product does not matter",
        "SigmoidBinaryCrossEntropyLoss._from_logit: F.broadcast_mul(label, pos_weight)  ->  "
        "F.broadcast_mul(pos_weight, label)": "the order of a product does not matter",
    },
)

"""The gradients of these are not those of their forward: test_output.py and MXNet's recording check them."""

import numpy as np

from ..case import case, fixed, ints, u
from .softmax import softmax


def end(op, *makers, expect, **options):
    """A case whose gradient is a loss's, and no derivative of what forward computes."""
    case(op, *makers, expect=expect, grad=(), **options)


end("SoftmaxOutput", u(4, 3), ints(4, high=3), expect=lambda x, n: softmax(x))
end("SoftmaxOutput", u(2, 3, 4), ints(2, 4, high=3), multi_output=True, expect=lambda x, n: softmax(x, 1))
end("SoftmaxOutput", u(2, 3, 4), ints(2, 3, high=4), preserve_shape=True, expect=lambda x, n: softmax(x))
end("SoftmaxOutput", u(4, 3), u(4, 3), expect=lambda x, p: softmax(x), note="probabilities")
end("SoftmaxOutput", u(2, 3, 2), ints(2, high=6), oracle="MXNet wants one label for each row of the last axis",
    expect=lambda x, n: softmax(x.reshape(2, 6)).reshape(2, 3, 2))
end("LinearRegressionOutput", u(3, 2), u(3, 2), expect=lambda x, t: x)
end("LinearRegressionOutput", u(3, 1), u(3), expect=lambda x, t: x)
end("LogisticRegressionOutput", u(3, 2), u(3, 2), expect=lambda x, t: 1 / (1 + np.exp(-x)))
end("MAERegressionOutput", u(3, 2), u(3, 2), expect=lambda x, t: x)
end("SVMOutput", u(4, 3), ints(4, high=3), expect=lambda x, n: x)
case("softmax_cross_entropy", u(4, 3), ints(4, high=3),
     expect=lambda x, n: -np.log(softmax(x))[range(4), n.astype(int)].sum(keepdims=True))
case("softmax_cross_entropy", u(1, 5, low=-9, high=9), fixed([2.], floating=False),
     expect=lambda x, n: -np.log(softmax(x))[:, 2])

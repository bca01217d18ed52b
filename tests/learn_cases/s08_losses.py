"""Wrong answers to step 8, and what the course says to them."""

WRONG = [
    ("x = x - np.maximum.reduce(x, axis, keepdims=True)", "x = x.copy()",
     "log_normalized of [[1000, 0], [-1000, -1000]] is [[-inf, -inf], [ inf, inf]]; expected [[ 0. , -1000. ], [ "
     "-0.6931, -0.6931]]: e^1000 is too large for a float; subtract the largest element first"),
    ("loss = -F.pick(", "loss = F.pick(",
     "scores [[2.0, 1.0, 0.0], [0.0, 3.0, 0.0]] with labels [0, 2]: the loss is [-0.4076, -3.0949]; expected [0.4076, "
     "3.0949]: minus the log-probability of the label's class"),
    ("weight), axis=self._batch_axis, exclude=True)", "weight), axis=self._batch_axis)",
     "loss (2, 3, 2) with batch_axis=0: the mean has shape (3, 2); expected (2,): over all axes except the batch axis"),
    ("sample_weight, weight / 2)", "sample_weight, weight)",
     "L2Loss of [[1, 2], [3, 4]] and [[1, 4], [7, 8]] is [ 2., 16.]; expected [1., 8.]: (0 + 4) / 2 / 2 and (16 + 16) "
     "/ 2 / 2: the mean, and half of it"),
    ("        label = self._like(F, label, pred)\n        weight", "        weight",
     "L2Loss of pred (2, 1) and label (2,)"),
]

"""Wrong answers to step 7, and what the course says to them."""

WRONG = [
    ("slice(t * d, t * d + s * (n - 1) + 1, s)", "slice(t, t + s * (n - 1) + 1, s)",
     "kernel (2,), stride (1,), dilate (3,), pad (2,) on space (4,): what the windows see at tap (1,) of numbered "
     "elements is [1, 2, 3, 4, 5]; expected [3, 4, 5, 6, 7]"),
    ("np.maximum(first, tap, out=target)\n            first = target", "np.maximum(first, tap, out=target)",
     "pooling of 3 with stride 1 over [2.0, -2.0, 5.0, 1.0, -3.0, 4.0]: the largest is [5., 1., 5., 4.]; expected "
     "[5., 5., 5., 4.]: the larger of the first two taps, then of that and the third, and so on"),
    ("F.sum(g, axis=-1, exclude=True)", "F.sum(g, axis=-1)",
     "FullyConnected with flatten=False: data (2, 3, 5), weight (4, 5): the gradient of bias has shape (2, 3); "
     "expected (4,): bias is broadcast to every row: sum over the rows"),
    ("padded[(slice(None), ins, *under)] += sent", "padded[(slice(None), ins, *under)] = sent",
     "an element gets grad · weight from each window that sees it, and all are added"),
    ("return out if self.act is None else self.act(out)", "return out",
     "Dense(4, activation='relu') on (2, 3, 5): the result is "),
]

"""Wrong answers to step 2, and what the course says to them."""

WRONG = [
    ("return g * y * (1 - y)", "return y * (1 - y)",
     "sigmoid: for x = [[0.3, 1.5, 2.0], [0.7, 0.1, 4.0]] and g = 0.5, 1, 1.5, ... the gradient is [["),
    ("(g * y, g * x)", "(g * x, g * y)",
     "elemwise_mul: for inputs [[1.0, 2.0, 3.0], [-4.0, 5.0, 6.0]] and [[2.0, -1.0, 0.5], [4.0, 3.0, -2.0]] the "
     "gradient of the first is [[ 0.5, 2. , 4.5], [-8. , 12.5, 18. ]]; expected [[ 1. , -1. , 0.75], [ 8. , 7.5 , -6. "
     "]]: the derivative with respect to one factor is the other one, times g"),
    ("g * (x < y)", "g * (x <= y)",
     "maximum: for inputs [1, 2] and [1, 2], equal, and g = [3, 5] the gradient of the second is [3., 5.]; expected "
     "[0., 0.]: at a tie the first gets all of g; both together must not get more than g"),
    ("out.append(y if x is None else x)", "out.append(None)",
     "broadcast((None,), (3,)) is (None,); expected (3,): the unknown one is 1 or 3, and the result is 3 in both "
     "cases"),
    ("None if g is None else F._sum_like(g, x)", "g",
     "broadcast_add: for inputs (2, 3) and (3,) the gradient of the second has shape (2, 3); expected (3,): sum over "
     "the axes that were broadcast"),
    ("(*range(extra), *stretched), data.dtype", "(*range(extra), *stretched)",
     "_sum_like: int8 data (2, 3) summed to (3,) has dtype int64; expected int8: the sum has the dtype of data; NumPy "
     "would use a wider one"),
]

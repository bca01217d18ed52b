"""Parts of arrays."""

from .table import mistake

mistake(
    "An index beyond the end",
    wrong="""
        x = nd.ones((2, 3))
        x[2]
        """,
    error="OutOfRangeError",
    says="index 2 is out of bounds for axis 0 with size 2 of an array of shape (2, 3); expected -2 to 1",
    cause="index 2 is out of bounds",
    place="axis 0 with size 2 of an array of shape (2, 3)",
    remedy="expected -2 to 1",
    right="""
        x[1]
        """)

mistake(
    "A float as an index",
    wrong="""
        x = nd.ones((10, 3))
        x[10 / 2]
        """,
    error="ArgumentError",
    says="an NDArray cannot be indexed with 5.0 of type float; expected integers, slices, None, Ellipsis, or "
         "arrays of integers or booleans. Write int(5.0).",
    cause="indexed with 5.0 of type float; expected integers",
    place="an NDArray",
    remedy="Write int(5.0)",
    right="""
        x[10 // 2]
        """)

mistake(
    "A mask of the wrong length",
    wrong="""
        x = nd.ones((2, 3))
        x[np.array([True, False, True])]
        """,
    error="OutOfRangeError",
    says="a mask of shape (3,) cannot index axes of shape (2,); the shapes must be equal. For axis 1, write x[:, "
         "mask].",
    cause="a mask of shape (3,) cannot index axes of shape (2,)",
    place="axes of shape (2,)",
    remedy="For axis 1, write x[:, mask].",
    right="""
        x[:, np.array([True, False, True])]
        """)

mistake(
    "Assigning an array of the wrong shape to a slice",
    wrong="""
        x = nd.zeros((4, 3))
        x[0:2] = nd.ones((2,))
        """,
    error="ShapeError",
    says="cannot write an array of shape (2,) to a part of shape (2, 3): it cannot be broadcast. From the right, "
         "each of its axes must have the length of the part's, or 1.",
    cause="an array of shape (2,) to a part of shape (2, 3)",
    place="a part of shape (2, 3)",
    remedy="From the right, each of its axes must have the length of the part's, or 1",
    right="""
        x[0:2] = nd.ones((2, 1))
        """)

mistake(
    "The scalar value of an array with several elements",
    wrong="""
        loss = nd.array([0.5, 0.25])
        print(loss.asscalar())
        """,
    error="ArgumentError",
    says="asscalar needs an array of one element, found shape (2,). Choose one, x[0], or reduce it, x.mean(); "
         "asnumpy() gives all.",
    cause="asscalar needs an array of one element, found shape (2,)",
    place="asscalar",
    remedy="Choose one, x[0], or reduce it, x.mean()",
    right="""
        print(loss.mean().asscalar())
        """)

mistake(
    "An array with several elements as a condition",
    wrong="""
        x = nd.array([1, -1])
        if x > 0:
            x = -x
        """,
    error="ArgumentError",
    says="the truth value of an array of shape (2,) is ambiguous: only an array of one element is true or false. "
         "Write x.max() for 'any of them', x.min() for 'all of them', nd.where(x, a, b) to choose for each.",
    cause="the truth value of an array of shape (2,) is ambiguous",
    place="an array of shape (2,)",
    remedy="nd.where(x, a, b) to choose for each",
    right="""
        x = nd.where(x > 0, -x, x)
        """)

"""Texts for other functions that NumPy computes: pairs of elements, bits, types and comparisons of arrays."""

__all__ = ["TEXT"]

TEXT = """
allclose: Return whether all pairs of elements are equal up to the tolerances, as a bool.
>>> np.allclose(np.array([1, 2]), np.array([1, 2.000001]))
True

apply_along_axis: Return the results of a function that is called with each vector along an axis.
>>> np.apply_along_axis(lambda row: row.max(), 1, np.array([[1, 2], [4, 3]]))
array([2., 4.])

apply_over_axes: Return the result of a function of an array and an axis, called for one axis after another.
>>> np.apply_over_axes(lambda x, axis: x.sum(axis), np.ones((2, 3, 4)), [0, 2]).shape
(1, 3, 1)

array_equal: Return whether two arrays have the same shape and elements, as a bool.
>>> np.array_equal(np.array([1, 2]), np.array([[1, 2]]))
False

array_equiv: Return whether two arrays are equal after broadcasting, as a bool.
>>> np.array_equiv(np.array([1, 2]), np.array([[1, 2]]))
True

bitwise_and: Return for each pair of integers the bits that both have.
>>> np.bitwise_and(np.array([6, 5], dtype="int32"), 3)
array([2, 1], dtype=int32)

bitwise_not: Return each integer with all bits inverted: -x - 1 for signed types.
>>> np.bitwise_not(np.array([0, 6], dtype="int32"))
array([-1, -7], dtype=int32)

bitwise_or: Return for each pair of integers the bits that at least one has.
>>> np.bitwise_or(np.array([6, 5], dtype="int32"), 3)
array([7, 7], dtype=int32)

bitwise_xor: Return for each pair of integers the bits that exactly one has.
>>> np.bitwise_xor(np.array([6, 5], dtype="int32"), 3)
array([5, 6], dtype=int32)

divmod: Return the quotients rounded down and the remainders.
>>> np.divmod(np.array([-7, 7]), 3)
(array([-3.,  2.]), array([2., 1.]))

can_cast: Return whether one type can be converted to another; by default, without losing values. MXNet 1.9.1 lacks it.
>>> np.can_cast("int8", "float32")
True

float_power: Return x1 to the power of x2 in float64.
>>> np.float_power(np.array([1, 2], dtype="int32"), -1)
array([1. , 0.5], dtype=float64)

fmax: Return the larger element of each pair; a NaN is ignored. MXNet 1.9.1 lacks it.
>>> np.fmax(np.array([1, np.nan]), np.array([0, 2]))
array([1., 2.])

fmin: Return the smaller element of each pair; a NaN is ignored. MXNet 1.9.1 lacks it.
>>> np.fmin(np.array([1, np.nan]), np.array([0, 2]))
array([0., 2.])

fmod: Return the remainder of x1 / x2, with the sign of x1. MXNet 1.9.1 lacks it.
>>> np.fmod(np.array([-7, 7]), 3)
array([-1.,  1.])

frexp: Return the fractions m and the int32 exponents n with x = m · 2 to the power of n, with 0.5 <= |m| < 1.
>>> np.frexp(np.array([8, 3]))
(array([0.5 , 0.75]), array([4, 2], dtype=int32))

fromfunction: Return the result of a function of the indices of a grid. MXNet 1.9.1 lacks it.
>>> np.fromfunction(lambda i, j: 10 * i + j, (2, 3))
array([[ 0.,  1.,  2.],
       [10., 11., 12.]], dtype=float64)

gcd: Return the greatest common divisor of each pair of integers. MXNet 1.9.1 lacks it.
>>> np.gcd(np.array([12, 9], dtype="int32"), 8)
array([4, 1], dtype=int32)

genfromtxt: Return the numbers of a text file, a row for each line, in float64; missing ones are NaN.
>>> np.genfromtxt(["1,2", "3,"], delimiter=",")
array([[ 1.,  2.],
       [ 3., nan]], dtype=float64)

heaviside: Return 0 for negative elements, 1 for positive ones, and x2 for 0.
>>> np.heaviside(np.array([-1, 0, 2]), 0.5)
array([0. , 0.5, 1. ])

i0: Return the modified Bessel function of the first kind of order 0 of each element.
>>> np.i0(np.array([0, 1])).round(3)
array([1.   , 1.266])

invert: Return each integer with all bits inverted, as `bitwise_not`; booleans are negated.
>>> np.invert(np.array([1, 2]) > 1)
array([ True, False])

isclose: Return for each pair of elements whether they are equal up to the tolerances.
>>> np.isclose(np.array([1, 2]), np.array([1.000001, 2.1]))
array([ True, False])

lcm: Return the least common multiple of each pair of integers.
>>> np.lcm(np.array([4, 3], dtype="int32"), 6)
array([12,  6], dtype=int32)

left_shift: Return each integer with its bits moved to the left: x1 · 2 to the power of x2. MXNet 1.9.1 lacks it.
>>> np.left_shift(np.array([1, 3], dtype="int32"), 2)
array([ 4, 12], dtype=int32)

min_scalar_type: Return NumPy's smallest type that holds a number, or the type of an array.
>>> np.min_scalar_type(200)
dtype('uint8')

modf: Return the fractional and the integral parts of the elements; both have the sign of the element.
>>> np.modf(np.array([1.25, -2.5]))
(array([ 0.25, -0.5 ]), array([ 1., -2.]))

ndim: Return the number of axes, an int.
>>> np.ndim(np.ones((2, 3)))
2

packbits: Return the elements as the bits of uint8 numbers: 1 for those that are not 0, the highest bit first.
>>> np.packbits(np.array([1, 0, 1], dtype="uint8"))
array([160], dtype=uint8)

positive: Return a copy of the numbers.
>>> np.positive(np.array([1, -2]))
array([ 1., -2.])

promote_types: Return the smallest type of NumPy that holds the elements of both.
>>> np.promote_types("int32", "float32")
dtype('float64')

real: Return a copy: the elements of mx.np are never complex.
>>> np.real(np.array([1, 2]))
array([1., 2.])

result_type: Return NumPy's type for the result of an operation on the arguments.
>>> np.result_type(np.ones(2), np.ones(2, dtype="float64"))
dtype('float64')

right_shift: Return each integer with its bits moved to the right: x1 // 2 to the power of x2. MXNet 1.9.1 lacks it.
>>> np.right_shift(np.array([8, 7], dtype="int32"), 2)
array([2, 1], dtype=int32)

rollaxis: Return the array with one axis moved to the position start.
>>> np.rollaxis(np.ones((2, 3, 4)), 2).shape
(4, 2, 3)

shape: Return the lengths of the axes, a tuple.
>>> np.shape(np.ones((2, 3)))
(2, 3)

signbit: Return whether each element has a minus sign; -0 has one.
>>> np.signbit(np.array([-1, -0.0, 2]))
array([ True,  True, False])

size: Return the number of elements, or the length of an axis, an int.
>>> np.size(np.ones((2, 3))), np.size(np.ones((2, 3)), 1)
(6, 3)

spacing: Return the distance from each element to the next larger number of its type.
>>> np.spacing(np.array([1])) == 2.0 ** -23
array([ True])

unpackbits: Return the bits of uint8 numbers as uint8 zeros and ones, the highest bit first.
>>> np.unpackbits(np.array([5], dtype="uint8"))
array([0, 0, 0, 0, 0, 1, 0, 1], dtype=uint8)

unwrap: Return angles without jumps: if neighbours differ by more than π, multiples of 2π are added.
>>> np.unwrap(np.array([0, 3, -3])).round(3)
array([0.   , 3.   , 3.283])

may_share_memory: Return whether the memory of two arrays on the CPU may overlap; only its bounds are compared.
>>> np.may_share_memory(np.ones(2), np.ones(2))
False

shares_memory: Return whether two arrays on the CPU share memory.
>>> x = np.ones(3)
>>> np.shares_memory(x, x[1:]), np.shares_memory(x, x.copy())
(True, False)
"""

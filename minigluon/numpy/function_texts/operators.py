"""Texts for functions computed by one operator, element by element or over axes."""

__all__ = ["TEXT"]

TEXT = """
abs: Return the absolute value of each element.
>>> np.abs(np.array([-2, 3]))
array([2., 3.])

absolute: Return the absolute value of each element.
>>> np.absolute(np.array([-2, 3]))
array([2., 3.])

fabs: Return the absolute value of each element.
>>> np.fabs(np.array([-2.5, 3]))
array([2.5, 3. ])

arccos: Return the angle between 0 and π whose cosine each element is.
>>> np.arccos(np.array([1, 0, -1])).round(3)
array([0.   , 1.571, 3.142])

arccosh: Return the number that is not negative and whose hyperbolic cosine each element is.
>>> np.arccosh(np.array([1, 2])).round(3)
array([0.   , 1.317])

arcsin: Return the angle between -π/2 and π/2 whose sine each element is.
>>> np.arcsin(np.array([0, 1])).round(3)
array([0.   , 1.571])

arcsinh: Return the number whose hyperbolic sine each element is.
>>> np.arcsinh(np.array([0, 1])).round(3)
array([0.   , 0.881])

arctan: Return the angle between -π/2 and π/2 whose tangent each element is.
>>> np.arctan(np.array([0, 1])).round(3)
array([0.   , 0.785])

arctanh: Return the number whose hyperbolic tangent each element is.
>>> np.arctanh(np.array([0, 0.5])).round(3)
array([0.   , 0.549])

cbrt: Return the cube root of each element, also of negative ones.
>>> np.cbrt(np.array([8, -27])).round(3)
array([ 2., -3.])

ceil: Return the smallest integer that is not below each element.
>>> np.ceil(np.array([1.2, -1.2]))
array([ 2., -1.])

cos: Return the cosine of each element, an angle in radians.
>>> np.cos(np.array([0, np.pi]))
array([ 1., -1.])

cosh: Return the hyperbolic cosine of each element.
>>> np.cosh(np.array([0, 1])).round(3)
array([1.   , 1.543])

degrees: Return each element converted from radians to degrees.
>>> np.degrees(np.array([0, np.pi])).round(3)
array([  0., 180.])

rad2deg: Return each element converted from radians to degrees.
>>> np.rad2deg(np.array([0, np.pi])).round(3)
array([  0., 180.])

exp: Return e to the power of each element.
>>> np.exp(np.array([0, 1])).round(3)
array([1.   , 2.718])

expm1: Return exp(x) - 1 of each element x, accurate also for x near 0.
>>> np.expm1(np.array([0, 1])).round(3)
array([0.   , 1.718])

fix: Return each element rounded towards 0.
>>> np.fix(np.array([1.7, -1.7]))
array([ 1., -1.])

floor: Return the largest integer that is not above each element.
>>> np.floor(np.array([1.7, -1.7]))
array([ 1., -2.])

log: Return the natural logarithm of each element.
>>> np.log(np.array([1, np.e])).round(3)
array([0., 1.])

log10: Return the logarithm of each element to base 10.
>>> np.log10(np.array([1, 1000])).round(3)
array([0., 3.])

log1p: Return log(1 + x) of each element x, accurate also for x near 0.
>>> np.log1p(np.array([0, 1])).round(3)
array([0.   , 0.693])

log2: Return the logarithm of each element to base 2.
>>> np.log2(np.array([1, 8])).round(3)
array([0., 3.])

negative: Return the negative of each element.
>>> np.negative(np.array([1, -2]))
array([-1.,  2.])

radians: Return each element converted from degrees to radians.
>>> np.radians(np.array([0, 180])).round(3)
array([0.   , 3.142])

deg2rad: Return each element converted from degrees to radians.
>>> np.deg2rad(np.array([0, 180])).round(3)
array([0.   , 3.142])

reciprocal: Return 1 / x of each element x.
>>> np.reciprocal(np.array([2, 4]))
array([0.5 , 0.25])

sign: Return the sign of each element: -1, 0 or 1.
>>> np.sign(np.array([-5, 0, 3]))
array([-1.,  0.,  1.])

sin: Return the sine of each element, an angle in radians.
>>> np.sin(np.array([0, np.pi / 2])).round(3)
array([0., 1.])

sinh: Return the hyperbolic sine of each element.
>>> np.sinh(np.array([0, 1])).round(3)
array([0.   , 1.175])

sqrt: Return the square root of each element; of integers it is cut to an integer, as in MXNet.
>>> np.sqrt(np.array([4, 2])).round(3)
array([2.   , 1.414])

square: Return the square of each element.
>>> np.square(np.array([2, -3]))
array([4., 9.])

tan: Return the tangent of each element, an angle in radians.
>>> np.tan(np.array([0, np.pi / 4])).round(3)
array([0., 1.])

tanh: Return the hyperbolic tangent of each element.
>>> np.tanh(np.array([0, 1])).round(3)
array([0.   , 0.762])

trunc: Return each element without its digits after the point.
>>> np.trunc(np.array([1.7, -1.7]))
array([ 1., -1.])

equal: Return for each pair of elements whether they are equal.
>>> np.equal(np.array([1, 2, 3]), 2)
array([False,  True, False])

not_equal: Return for each pair of elements whether they differ.
>>> np.not_equal(np.array([1, 2, 3]), 2)
array([ True, False,  True])

greater: Return for each pair of elements whether x1 > x2.
>>> np.greater(np.array([1, 2, 3]), 2)
array([False, False,  True])

greater_equal: Return for each pair of elements whether x1 >= x2.
>>> np.greater_equal(np.array([1, 2, 3]), 2)
array([False,  True,  True])

less: Return for each pair of elements whether x1 < x2.
>>> np.less(np.array([[1], [2]]), np.array([1, 2]))
array([[False,  True],
       [False, False]])

less_equal: Return for each pair of elements whether x1 <= x2.
>>> np.less_equal(np.array([[1], [2]]), np.array([1, 2]))
array([[ True,  True],
       [False,  True]])

logical_and: Return for each pair of elements whether neither is 0. MXNet 1.9.1 lacks it.
>>> np.logical_and(np.array([0, 1, 2]), np.array([1, 1, 0]))
array([False,  True, False])

logical_or: Return for each pair of elements whether at least one is not 0. MXNet 1.9.1 lacks it.
>>> np.logical_or(np.array([0, 1, 0]), np.array([1, 1, 0]))
array([ True,  True, False])

logical_xor: Return for each pair of elements whether exactly one is not 0. MXNet 1.9.1 lacks it.
>>> np.logical_xor(np.array([0, 1, 2]), np.array([1, 1, 0]))
array([ True, False,  True])

"""

"""Texts for functions that NumPy computes: statistics, polynomials and decompositions."""

__all__ = ["TEXT"]

TEXT = """
correlate: Return the sums of products of a vector with another at each shift.
>>> np.correlate(np.array([1, 2, 3]), np.array([1, 1]))
array([3., 5.])

gradient: Return the slopes: central differences inside, one-sided ones at the ends. MXNet 1.9.1 lacks it.
>>> np.gradient(np.array([1, 4, 9, 16]))
array([3., 4., 6., 7.])

histogram: Return how many elements are in each of several bins of equal width, as int64, and the edges of the bins.
>>> np.histogram(np.array([1, 2, 2, 5]), bins=2)
(array([3, 1], dtype=int64), array([1., 3., 5.]))

histogram2d: Return how many points are in each cell of a grid, in float64, and the edges for x and y.
>>> np.histogram2d(np.array([0, 1, 1]), np.array([0, 1, 1]), bins=2)[0]
array([[1., 0.],
       [0., 2.]], dtype=float64)

histogram_bin_edges: Return the edges of the bins that `histogram` would use.
>>> np.histogram_bin_edges(np.array([0, 4]), bins=2)
array([0., 2., 4.])

histogramdd: Return how many points are in each cell of a grid, in float64, and a list of the edges for each axis.
>>> np.histogramdd(np.array([[0, 0], [1, 1]]), bins=2)[0]
array([[1., 0.],
       [0., 1.]], dtype=float64)

linalg.cond: Return the condition number of matrices: the largest singular value divided by the smallest one.
>>> np.linalg.cond(np.array([[4, 0], [0, 2]])).round(3)
array(2.)

linalg.eig: Return the eigenvalues of square matrices, and the eigenvectors as columns.
>>> np.linalg.eig(np.array([[2, 0], [0, 3]]))
(array([2., 3.]), array([[1., 0.],
       [0., 1.]]))

linalg.eigvals: Return the eigenvalues of square matrices, in no particular order.
>>> np.linalg.eigvals(np.array([[2, 0], [0, 3]]))
array([2., 3.])

linalg.lstsq: Return x with the smallest |a·x - b|, the squared residuals, the rank and the singular values of a.
>>> np.linalg.lstsq(np.array([[1, 0], [1, 1], [1, 2]]), np.array([1, 3, 5]), rcond=None)[0].round(3)
array([1., 2.])

linalg.matrix_rank: Return the rank of matrices, the number of singular values that are not close to 0.
>>> np.linalg.matrix_rank(np.array([[1, 2], [2, 4]]))
1

nanargmax: Return the index of the largest element that is not NaN: an int, or int64 along an axis.
>>> np.nanargmax(np.array([1, np.nan, 3]))
2

nanargmin: Return the index of the smallest element that is not NaN: an int, or int64 along an axis.
>>> np.nanargmin(np.array([np.nan, 2, 1]))
2

nanmedian: Return the median over axes of the elements that are not NaN.
>>> np.nanmedian(np.array([1, np.nan, 3]))
array(2.)

nanpercentile: Return the percentiles q over axes of the elements that are not NaN.
>>> np.nanpercentile(np.array([1, np.nan, 3]), 50)
array(2.)

nanquantile: Return the quantiles q over axes of the elements that are not NaN.
>>> np.nanquantile(np.array([1, np.nan, 3]), 0.5)
array(2.)

poly: Return the coefficients of the polynomial with these roots, starting with that of the highest power.
>>> np.poly(np.array([1, 2]))
array([ 1., -3.,  2.])

polyadd: Return the coefficients of the sum of two polynomials, starting with that of the highest power.
>>> np.polyadd(np.array([1, 2]), np.array([1, 0, 0]))
array([1., 1., 2.])

polydiv: Return the coefficients of the quotient and the remainder of two polynomials.
>>> np.polydiv(np.array([1, 0, -1]), np.array([1, 1]))
(array([ 1., -1.]), array([0.]))

polyfit: Return the float64 coefficients of the polynomial of a degree that fits points with the least squared error.
>>> np.polyfit(np.array([0, 1, 2]), np.array([1, 3, 5]), 1).round(3)
array([2., 1.], dtype=float64)

polyint: Return the float64 coefficients of the integral of a polynomial, with the constant 0.
>>> np.polyint(np.array([2, 1]))
array([1., 1., 0.], dtype=float64)

polymul: Return the coefficients of the product of two polynomials.
>>> np.polymul(np.array([1, 1]), np.array([1, -1]))
array([ 1.,  0., -1.])

polysub: Return the coefficients of the difference of two polynomials.
>>> np.polysub(np.array([1, 0, 0]), np.array([1, 2]))
array([ 1., -1., -2.])

roots: Return the roots of the polynomial with these coefficients, which start with that of the highest power.
>>> np.roots(np.array([1, -3, 2]))
array([2., 1.])

vander: Return the float64 matrix of the powers of each element, starting with the highest.
>>> np.vander(np.array([2, 3]), 3)
array([[4., 2., 1.],
       [9., 3., 1.]], dtype=float64)
"""

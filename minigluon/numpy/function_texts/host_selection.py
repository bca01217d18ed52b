"""Texts for functions that NumPy computes: selection, indices, order and sets."""

__all__ = ["TEXT"]

TEXT = """
argpartition: Return int64 indices that put the element of rank kth in its sorted position, smaller ones before it.
>>> np.argpartition(np.array([3, 1, 2]), 1)
array([1, 2, 0], dtype=int64)

argwhere: Return the int64 indices of the elements that are not 0, one row for each.
>>> np.argwhere(np.array([[0, 5], [7, 0]]))
array([[0, 1],
       [1, 0]], dtype=int64)

bincount: Return how often each integer from 0 occurs, in the dtype of the integers or the weights.
>>> np.bincount(np.array([0, 2, 2], dtype="int32"))
array([1, 0, 2], dtype=int32)

choose: Return for each position an element of one of the arrays; the index at that position selects the array.
>>> np.choose(np.array([1, 0], dtype="int32"), [np.array([1, 2]), np.array([10, 20])])
array([10.,  2.])

compress: Return the slices along an axis for which the condition is true.
>>> np.compress([True, False], np.array([[1, 2], [3, 4]]), axis=1)
array([[1.],
       [3.]])

count_nonzero: Return how many elements are not 0: an int, or int64 along an axis.
>>> np.count_nonzero(np.array([[0, 5], [7, 1]]))
3

diag_indices_from: Return the int64 indices of the main diagonal, one array for each axis.
>>> np.diag_indices_from(np.ones((2, 2)))
(array([0, 1], dtype=int64), array([0, 1], dtype=int64))

digitize: Return the int64 index of the bin of each element; 0 is below the first edge.
>>> np.digitize(np.array([0.5, 2.5]), np.array([0, 1, 2]))
array([1, 3], dtype=int64)

extract: Return the elements for which the condition is true, as a vector.
>>> np.extract(np.array([1, 0, 3]) > 0, np.array([10, 20, 30]))
array([10., 30.])

flatnonzero: Return the int64 indices, in the flat array, of the elements that are not 0.
>>> np.flatnonzero(np.array([[0, 5], [7, 0]]))
array([1, 2], dtype=int64)

in1d: Return for each element of the flat array whether it is in the second array.
>>> np.in1d(np.array([[1, 2], [3, 4]]), np.array([2, 3]))
array([False,  True,  True, False])

intersect1d: Return the sorted elements that are in both arrays, each once.
>>> np.intersect1d(np.array([3, 1, 2]), np.array([2, 3, 4]))
array([2., 3.])

isin: Return for each element whether it is in the second array.
>>> np.isin(np.array([[1, 2], [3, 4]]), np.array([2, 3]))
array([[False,  True],
       [ True, False]])

ix_: Return index arrays that broadcast, for the elements where the given rows and columns cross.
>>> [x.shape for x in np.ix_(np.array([0, 1], dtype="int32"), np.array([2], dtype="int32"))]
[(2, 1), (1, 1)]

lexsort: Return the int64 indices that sort by the last key, and for equal ones by the key before it.
>>> np.lexsort((np.array([3, 1, 2]), np.array([0, 1, 0])))
array([2, 0, 1], dtype=int64)

msort: Return the elements sorted along the first axis.
>>> np.msort(np.array([[3, 1], [2, 4]]))
array([[2., 1.],
       [3., 4.]])

nonzero: Return the int64 indices of the elements that are not 0, one array for each axis.
>>> np.nonzero(np.array([[0, 5], [7, 0]]))
(array([0, 1], dtype=int64), array([1, 0], dtype=int64))

partition: Return the array with the element of rank kth in its sorted position, and smaller ones before it.
>>> np.partition(np.array([3, 1, 2]), 1)
array([1., 2., 3.])

piecewise: Return for each element the value that belongs to its condition; a function is called with the elements.
>>> x = np.array([-2, 3])
>>> np.piecewise(x, [x < 0, x >= 0], [0, lambda v: v * v])
array([0., 9.])

searchsorted: Return the int64 positions at which the values keep a sorted vector sorted.
>>> np.searchsorted(np.array([1, 3, 5]), np.array([3, 4]))
array([1, 2], dtype=int64)

select: Return for each position the element of the first choice whose condition is true, otherwise the default.
>>> x = np.array([1, 5, 9])
>>> np.select([x < 3, x < 7], [x, 10 * x], default=-1)
array([ 1., 50., -1.])

setdiff1d: Return the sorted elements of the first array that are not in the second, each once.
>>> np.setdiff1d(np.array([3, 1, 2]), np.array([2]))
array([1., 3.])

setxor1d: Return the sorted elements that are in exactly one of two arrays.
>>> np.setxor1d(np.array([1, 2]), np.array([2, 3]))
array([1., 3.])

take_along_axis: Return for each vector along an axis its elements at the indices of the same position.
>>> x = np.array([[3, 1], [2, 4]])
>>> np.take_along_axis(x, np.argsort(x, axis=1), axis=1)
array([[1., 3.],
       [2., 4.]])

tril_indices: Return the int64 indices of the lower triangle of an n × n matrix: of the rows, and of the columns.
>>> np.tril_indices(2)
(array([0, 1, 1], dtype=int64), array([0, 0, 1], dtype=int64))

tril_indices_from: Return the int64 indices of the lower triangle of a matrix: of the rows, and of the columns.
>>> np.tril_indices_from(np.ones((2, 2)))
(array([0, 1, 1], dtype=int64), array([0, 0, 1], dtype=int64))

trim_zeros: Return a vector without the zeros at both ends.
>>> np.trim_zeros(np.array([0, 1, 0, 2, 0]))
array([1., 0., 2.])

triu_indices: Return the int64 indices of the upper triangle of an n × n matrix: of the rows, and of the columns.
>>> np.triu_indices(2)
(array([0, 0, 1], dtype=int64), array([0, 1, 1], dtype=int64))

triu_indices_from: Return the int64 indices of the upper triangle of a matrix: of the rows, and of the columns.
>>> np.triu_indices_from(np.ones((2, 2)))
(array([0, 0, 1], dtype=int64), array([0, 1, 1], dtype=int64))

union1d: Return the sorted elements that are in at least one of two arrays, each once.
>>> np.union1d(np.array([3, 1]), np.array([2, 3]))
array([1., 2., 3.])

unique: Return the sorted elements, each once; on request also indices and counts, as int64.
>>> np.unique(np.array([2, 1, 2]), return_counts=True)
(array([1., 2.]), array([1, 2], dtype=int64))

unique_all: Return the values, their indices, the place of each element among them, and counts. MXNet 1.9.1 lacks it.
>>> np.unique_all(np.array([5, 7, 5])).counts
array([2, 1], dtype=int64)

unique_counts: Return the values of an array in ascending order, and how often each occurs. MXNet 1.9.1 lacks it.
>>> np.unique_counts(np.array([5, 7, 5]))
(array([5., 7.]), array([2, 1], dtype=int64))

unique_inverse: Return the values of an array, and the place of each element among them. MXNet 1.9.1 lacks it.
>>> np.unique_inverse(np.array([5, 7, 5]))
(array([5., 7.]), array([0, 1, 0], dtype=int64))

unique_values: Return the values of an array in ascending order. MXNet 1.9.1 lacks it.
>>> np.unique_values(np.array([5, 7, 5]))
array([5., 7.])

unravel_index: Return the indices for each axis of positions in the flat array of a shape.
>>> np.unravel_index(np.array([4, 5], dtype="int32"), (2, 3))
(array([1, 1], dtype=int32), array([1, 2], dtype=int32))
"""

"""Examples for the operators of `mx.npx`, whose descriptions are those of `nd`."""

__all__ = ["EXAMPLES"]

_TEXT = """
activation
>>> npx.activation(np.array([-1, 0, 3]), act_type="softsign")
array([-0.5 ,  0.  ,  0.75])

arange_like
>>> npx.arange_like(np.ones((2, 3)), axis=1)
array([0., 1., 2.])

batch_dot
>>> npx.batch_dot(np.ones((5, 2, 3)), np.ones((5, 3, 4))).shape
(5, 2, 4)

batch_flatten
>>> npx.batch_flatten(np.ones((2, 3, 4))).shape
(2, 12)

batch_norm
>>> gamma, beta, mean, var = np.ones(1), np.zeros(1), np.array([2]), np.array([4])
>>> npx.batch_norm(np.array([[4], [0]]), gamma, beta, mean, var, eps=0)
array([[ 1.],
       [-1.]])

cast
>>> npx.cast(np.array([1.7, -1.7]), dtype="int32")
array([ 1, -1], dtype=int32)

convolution
>>> npx.convolution(np.array([[[1, 2, 3]]]), np.array([[[1, 10]]]), kernel=2, num_filter=1, no_bias=True)
array([[[21., 32.]]])

ctc_loss
>>> npx.ctc_loss(np.zeros((2, 1, 2)), np.array([[1]])).round(3)
array([0.288])

deconvolution
>>> npx.deconvolution(np.array([[[1, 2]]]), np.array([[[1, 10]]]), kernel=2, num_filter=1)
array([[[ 1., 12., 20.]]])

dropout
>>> npx.dropout(np.array([1, 2]), p=0.5)
array([1., 2.])

embedding
>>> npx.embedding(np.array([1, 0]), np.array([[1, 2], [3, 4]]), input_dim=2, output_dim=2)
array([[3., 4.],
       [1., 2.]])

erf
>>> npx.erf(np.array([0, 1])).round(3)
array([0.   , 0.843])

erfinv
>>> npx.erfinv(np.array([0, 0.5])).round(3)
array([0.   , 0.477])

fully_connected
>>> npx.fully_connected(np.array([[1, 2]]), np.array([[1, 1], [0, 3]]), np.array([0, 10]), num_hidden=2)
array([[ 3., 16.]])

gamma
>>> npx.gamma(np.array([5, 0.5])).round(3)
array([24.   ,  1.772])

gammaln
>>> npx.gammaln(np.array([1, 5])).round(3)
array([0.   , 3.178])

gather_nd
>>> npx.gather_nd(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [1, 0]]))
array([2., 3.])

group_norm
>>> npx.group_norm(np.array([[[1, 3], [10, 30]]]), np.ones(2), np.zeros(2), num_groups=2).round(2)
array([[[-1.,  1.],
        [-1.,  1.]]])

instance_norm
>>> npx.instance_norm(np.array([[[1, 3], [10, 30]]]), np.ones(2), np.zeros(2)).round(2)
array([[[-1.,  1.],
        [-1.,  1.]]])

layer_norm
>>> npx.layer_norm(np.array([[1, 3], [10, 30]]), np.ones(2), np.zeros(2)).round(2)
array([[-1.,  1.],
       [-1.,  1.]])

leaky_relu
>>> npx.leaky_relu(np.array([-2, 3]), act_type="leaky", slope=0.1)
array([-0.2,  3. ])

log_softmax
>>> npx.log_softmax(np.array([0, 0])).round(3)
array([-0.693, -0.693])

multibox_detection
>>> probabilities = np.array([[[0.1], [0.9]]])
>>> anchor = np.array([[[0.2, 0.2, 0.6, 0.6]]])
>>> npx.multibox_detection(probabilities, np.zeros((1, 4)), anchor).round(2)
array([[[0. , 0.9, 0.2, 0.2, 0.6, 0.6]]])

multibox_prior
>>> npx.multibox_prior(np.ones((1, 3, 1, 1)), sizes=(0.5,))
array([[[0.25, 0.25, 0.75, 0.75]]])

multibox_target
>>> anchor, label = np.array([[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]]]), np.array([[[7, 0.5, 0.5, 1, 1]]])
>>> offsets, mask, classes = npx.multibox_target(anchor, label, np.zeros((1, 9, 2)))
>>> classes
array([[0., 8.]])

one_hot
>>> npx.one_hot(np.array([1, 0]), depth=3)
array([[0., 1., 0.],
       [1., 0., 0.]])

pick
>>> npx.pick(np.array([[1, 2], [3, 4]]), np.array([1, 0]))
array([2., 3.])

pooling
>>> npx.pooling(np.array([[[1, 5, 2, 3]]]), kernel=2, stride=2, pool_type="max")
array([[[5., 3.]]])

relu
>>> npx.relu(np.array([-1, 0, 2]))
array([0., 0., 2.])

reshape_like
>>> npx.reshape_like(np.arange(6), np.ones((2, 3))).shape
(2, 3)

rnn
>>> data, parameters, state = np.array([[[1]], [[2]], [[3]]]), np.array([1, 1, 0, 0]), np.zeros((1, 1, 1))
>>> npx.rnn(data, parameters, state, mode="rnn_relu", state_size=1, num_layers=1).ravel()
array([1., 3., 6.])

roi_pooling
>>> image = np.arange(16).reshape(1, 1, 4, 4)
>>> npx.roi_pooling(image, np.array([[0, 0, 0, 1, 1]]), pooled_size=(1, 1), spatial_scale=1)
array([[[[5.]]]])

sequence_mask
>>> npx.sequence_mask(np.ones((3, 2)), np.array([1, 2]), use_sequence_length=True)
array([[1., 1.],
       [0., 1.],
       [0., 0.]])

shape_array
>>> npx.shape_array(np.ones((2, 3)))
array([2, 3], dtype=int64)

sigmoid
>>> npx.sigmoid(np.array([0, 2])).round(3)
array([0.5  , 0.881])

slice
>>> npx.slice(np.array([[1, 2, 3], [4, 5, 6]]), begin=(0, 1), end=(2, 3))
array([[2., 3.],
       [5., 6.]])

smooth_l1
>>> npx.smooth_l1(np.array([0.5, 3]))
array([0.125, 2.5  ])

softmax
>>> npx.softmax(np.array([[0, 0], [0, 1000]]))
array([[0.5, 0.5],
       [0. , 1. ]])

stop_gradient
>>> x = np.array([3])
>>> x.attach_grad()
>>> with mx.autograd.record():
...     y = npx.stop_gradient(x) * x
>>> y.backward()
>>> x.grad
array([3.])

topk
>>> npx.topk(np.array([10, 30, 20]), k=2)
array([1., 2.])
"""
# name -> example
EXAMPLES = dict(block.split("\n", 1) for block in _TEXT.strip().split("\n\n"))

"""Written by minigluon.tools.stubs. Do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, overload

from ..context import Context
from ..common.types import DType, Number, Shape
from . import arithmetic as arithmetic, contributed as contributed, control as control, creation as creation, open_shapes as open_shapes, random as random
from .arithmetic import *
from .creation import *
from .custom import custom_function as custom_function
from .methods import add_methods as add_methods
from .register import make_function as make_function
from .symbol import Group as Group, Symbol as Symbol, Variable as Variable, var as var
from .json_load import load as load, load_json as load_json

_internal: Any
op: Any

sparse: Any

Custom = custom_function

def add(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def subtract(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def multiply(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def divide(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def true_divide(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def modulo(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def maximum(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def minimum(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def hypot(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def equal(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def not_equal(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def greater(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def greater_equal(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def lesser(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def lesser_equal(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def logical_and(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def logical_or(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
def logical_xor(left: Symbol | Number, right: Symbol | Number) -> Symbol: ...
pow = power

def Activation(data: Symbol, act_type: Literal['relu', 'sigmoid', 'tanh', 'softrelu', 'softsign'], *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Applies act_type to each element.

    relu max(x, 0) | sigmoid 1 / (1 + e⁻ˣ) | tanh | softrelu log(1 + eˣ) | softsign x / (1 + |x|)

    data (any shape) | out like data

    act_type: the function to apply.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> print(nd.Activation(nd.array([-1, 0, 3]), act_type="relu").asnumpy())
    [0. 0. 3.]
    >>> print(nd.Activation(nd.array([-1, 0, 3]), act_type="softsign").asnumpy())
    [-0.5   0.    0.75]
    """

def BatchNorm(data: Symbol, gamma: Symbol | None = None, beta: Symbol | None = None, moving_mean: Symbol | None = None, moving_var: Symbol | None = None, *, eps: Number = 0.001, momentum: Number = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: Number | None = None, max_calib_range: Number | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Normalizes each channel to mean 0 and variance 1: out = (data - mean) / √(var + eps) · gamma + beta.

    data (..., C, ...) with C at `axis` | gamma, beta, moving_mean, moving_var (C,) | out like data;
    with output_mean_var, also the mean (C,) and 1 / √(var + eps) (C,) that were used

    In training, the statistics of the batch are used, and the moving statistics become momentum · moving + (1 -
    momentum) · batch (the variance divides by the count n, not n - 1). Otherwise, and always with use_global_stats, the
    moving statistics are used. For float16 data, everything else is float32.

    eps: added to the variance before the square root.
    momentum: the fraction of the moving statistics that is kept in a training step.
    fix_gamma: if True, use 1 for gamma, without a gradient.
    use_global_stats: if True, use the moving statistics in training as well, and do not update them.
    output_mean_var: if True, also return the mean and 1 / √(var + eps) or the variance.
    axis: the axis of the channels.
    cudnn_off: if True, avoid cuDNN on a GPU; elsewhere it has no effect.
    min_calib_range: no effect; MXNet uses it for quantized networks.
    max_calib_range: no effect; MXNet uses it for quantized networks.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Ioffe and Szegedy, arXiv:1502.03167.

    >>> data, gamma, beta, mean, var = nd.array([[1], [5]]), nd.ones(1), nd.zeros(1), nd.zeros(1), nd.ones(1)
    >>> with autograd.record():
    ...     print(nd.BatchNorm(data, gamma, beta, mean, var, eps=0, momentum=0.5).asnumpy().T)
    [[-1.  1.]]
    >>> print(mean.asnumpy(), var.asnumpy())
    [1.5] [2.5]
    """

def BatchNorm_v1(data: Symbol, gamma: Symbol | None = None, beta: Symbol | None = None, moving_mean: Symbol | None = None, moving_var: Symbol | None = None, *, eps: Number = 0.001, momentum: Number = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`BatchNorm` along axis 1 that also returns the mean and variance it used.

    data (N, C, ...) | gamma, beta, moving_mean, moving_var (C,) | out like data
    with output_mean_var also mean (C,) and variance (C,) | hidden: 1 / √(variance + eps), and 1 if batch statistics
    were used

    eps: added to the variance before the square root.
    momentum: the fraction of the moving statistics that is kept in a training step.
    fix_gamma: if True, use 1 for gamma, without a gradient.
    use_global_stats: if True, use the moving statistics in training as well, and do not update them.
    output_mean_var: if True, also return the mean and 1 / √(var + eps) or the variance.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> zero, one = nd.zeros(2), nd.ones(2)
    >>> print(nd.BatchNorm_v1(nd.array([[-3, 3]]), one, zero, zero, one, eps=0).asnumpy())
    [[-3.  3.]]
    """

def BilinearSampler(data: Symbol, grid: Symbol | None = None, *, cudnn_off: bool | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data at the points of grid, by bilinear interpolation; elements beyond the edges count as zero.

    data (N, C, H, W) | grid (N, 2, h, w): x and y of each point, from -1 to 1 | out (N, C, h, w)

    cudnn_off: changes nothing; in MXNet True leaves cuDNN out.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Jaderberg, Simonyan, Zisserman and Kavukcuoglu 2015, Spatial transformer networks, arXiv:1506.02025.

    >>> data, grid = nd.array([[[[0, 4], [0, 4]]]]), nd.array([[[[-1, 0, 1]], [[0, 0, 0]]]])
    >>> print(nd.BilinearSampler(data, grid).asnumpy())
    [[[[0. 2. 4.]]]]
    """

def BlockGrad(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """x; no gradient passes

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.BlockGrad(nd.array([1, 2])).asnumpy()
    array([1., 2.], dtype=float32)
    """

def CTCLoss(data: Symbol, label: Symbol | None = None, data_lengths: Symbol | None = None, label_lengths: Symbol | None = None, *, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """-log of the total probability of all alignments of data with label.

    data (T, N, classes), not yet normalized | label (N, L), T ≥ L | data_lengths, label_lengths (N,), if used
    out (N,)

    A label sequence that does not fit in its frames has loss 0 and no gradient, as in MXNet, so that the sum over a
    batch with such an item stays finite.

    use_data_lengths: if True, data_lengths gives the number of frames of each item, at most T.
    use_label_lengths: if True, label_lengths gives the number of labels of each item, at most L, regardless of the
    blank_label: the class of the blank. first: 0, and label is padded with 0; last: classes - 1, and label is padded
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError for lengths beyond T or L.
    Source: Graves, Fernández, Gomez and Schmidhuber, ICML 2006.

    Three of the four paths through two frames produce the label: 1 1, blank 1 and 1 blank.

    >>> print(nd.CTCLoss(nd.zeros((2, 1, 2)), nd.array([[1]])).asnumpy().round(3), -np.log(3 / 4).round(3))
    [0.288] 0.288
    """

def Cast(data: Symbol, dtype: DType, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data converted to the element type `dtype`. Floats are truncated to integers; the gradient has the type of data.

    data (any shape) | out like data, of type `dtype`

    dtype: the element type of the result.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.cast(nd.array([1.7, -1.7]), dtype="int32").asnumpy()
    array([ 1, -1], dtype=int32)
    """

def Concat(*data: Symbol, dim: int = 1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The arrays joined along axis `dim`, in order. All other dimensions must agree.

    data (*lead, n0, *rest), (*lead, n1, *rest), ... | out (*lead, n0 + n1 + ..., *rest)

    dim: the axis.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.concat(nd.array([[1], [2]]), nd.array([[3, 4], [5, 6]]), dim=1).asnumpy()
    array([[1., 3., 4.],
           [2., 5., 6.]], dtype=float32)
    """

def Convolution(data: Symbol, weight: Symbol | None = None, bias: Symbol | None = None, *, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = (), num_filter: int, num_group: int = 1, workspace: int = 1024, no_bias: bool = False, cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | None = None, cudnn_off: bool = False, layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Slides num_filter filters over 1, 2 or 3 spatial axes: each output is the sum of filter times window, plus bias.

    data (N, C, *space) | weight (num_filter, C / num_group, *kernel) | bias (num_filter,), absent with no_bias
    out  (N, num_filter, *windows), windows = (space + 2 pad - dilate (kernel - 1) - 1) // stride + 1

    Filters are not flipped, so mathematically this is a cross-correlation.

    kernel: the size of a window along each of 1, 2 or 3 spatial axes.
    stride: the step from one window to the next, one for each axis of kernel; 1 by default.
    dilate: the step from one element of a window to the next along each axis; 1 by default.
    pad: the number of zeros added on both sides of each spatial axis; 0 by default.
    num_filter: the number of filters, which is the number of output channels.
    num_group: the number of groups of channels and filters; each group of filters reads only its own channels.
    workspace: the size in MB of cuDNN's workspace.
    no_bias: if True, omit the bias.
    cudnn_tune: how cuDNN's algorithm is chosen: by cuDNN's own ranking ('off'), or by measured time, within the
        workspace ('limited_workspace') or without a limit ('fastest'). None reads MXNET_CUDNN_AUTOTUNE_DEFAULT (0, 1 or
        2; 0 if it is unset).
    cudnn_off: if True, avoid cuDNN on a GPU; elsewhere it has no effect.
    layout: the order of the axes. If it ends in C, channels are the last axis of data, weight and out.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> data, weight = nd.array([[[1, 2, 3, 4]]]), nd.array([[[1, 10]]])
    >>> print(nd.Convolution(data, weight, kernel=2, num_filter=1, no_bias=True).asnumpy())
    [[[21. 32. 43.]]]
    """

def Convolution_v1(data: Symbol, weight: Symbol | None = None, bias: Symbol | None = None, *, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = (), num_filter: int, num_group: int = 1, workspace: int = 1024, no_bias: bool = False, cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | None = None, cudnn_off: bool = False, layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Slides num_filter filters over 1, 2 or 3 spatial axes: each output is the sum of filter times window, plus bias.

    data (N, C, *space) | weight (num_filter, C / num_group, *kernel) | bias (num_filter,), absent with no_bias
    out  (N, num_filter, *windows), windows = (space + 2 pad - dilate (kernel - 1) - 1) // stride + 1

    Filters are not flipped, so mathematically this is a cross-correlation.

    kernel: the size of a window along each of 1, 2 or 3 spatial axes.
    stride: the step from one window to the next, one for each axis of kernel; 1 by default.
    dilate: the step from one element of a window to the next along each axis; 1 by default.
    pad: the number of zeros added on both sides of each spatial axis; 0 by default.
    num_filter: the number of filters, which is the number of output channels.
    num_group: the number of groups of channels and filters; each group of filters reads only its own channels.
    workspace: the size in MB of cuDNN's workspace.
    no_bias: if True, omit the bias.
    cudnn_tune: how cuDNN's algorithm is chosen: by cuDNN's own ranking ('off'), or by measured time, within the
        workspace ('limited_workspace') or without a limit ('fastest'). None reads MXNET_CUDNN_AUTOTUNE_DEFAULT (0, 1 or
        2; 0 if it is unset).
    cudnn_off: if True, avoid cuDNN on a GPU; elsewhere it has no effect.
    layout: the order of the axes. If it ends in C, channels are the last axis of data, weight and out.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> data, weight = nd.array([[[1, 2, 3, 4]]]), nd.array([[[1, 10]]])
    >>> print(nd.Convolution(data, weight, kernel=2, num_filter=1, no_bias=True).asnumpy())
    [[[21. 32. 43.]]]
    """

def Correlation(data1: Symbol, data2: Symbol | None = None, *, kernel_size: int = 1, max_displacement: int = 1, stride1: int = 1, stride2: int = 1, pad_size: int = 0, is_multiply: bool = True, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """For each position and displacement, the mean product of two patches, one from each image.

    data1, data2 (N, C, H, W) | out (N, D², h, w), D = 2 · ⌊max_displacement / stride2⌋ + 1

    The mean is taken over the patch and the channels. The patches of data1 are far enough from the edges for every
    displacement (i · stride2, j · stride2).

    kernel_size: the height and width of a patch; odd.
    max_displacement: the largest displacement of a patch of data2 along each axis, in either direction.
    stride1: the step from one patch of data1 to the next.
    stride2: the step from one displacement to the next.
    pad_size: the number of zeros added on each side of both images.
    is_multiply: if False, take absolute differences instead of products.

    If two elements are equal, the one in data1 receives the larger one's gradient, and the one in data2 the smaller
    one's.

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Dosovitskiy et al. 2015, FlowNet, arXiv:1504.06852.

    >>> data1, data2 = nd.array([[[[1, 2]]]]), nd.array([[[[3, 5]]]])
    >>> print(nd.Correlation(data1, data2, max_displacement=0).asnumpy())
    [[[[ 3. 10.]]]]
    """

def Crop(*data: Symbol, offset: Shape = (0, 0), h_w: Shape = (0, 0), center_crop: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """A window in the plane of data. If there is a second input, the window is as large as its plane.

    data (N, C, H, W), optionally (N', C', h, w) | out (N, C, h, w)

    offset: the window's upper left corner, (y, x).
    h_w: the window's height and width if there is no second input.
    center_crop: if True, take the middle and ignore the offset.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.Crop(nd.arange(9).reshape((1, 1, 3, 3)), h_w=(2, 2), offset=(1, 0)).asnumpy()
    array([[[[3., 4.],
             [6., 7.]]]], dtype=float32)
    """

def Deconvolution(data: Symbol, weight: Symbol | None = None, bias: Symbol | None = None, *, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = (), adj: Shape = (), target_shape: Shape = (), num_filter: int, num_group: int = 1, workspace: int = 512, no_bias: bool = True, cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | None = None, cudnn_off: bool = False, layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The transpose of a convolution: each element of data adds a multiple of a filter to a window of out.

    data (N, C, *space) | weight (C, num_filter / num_group, *kernel) | bias (num_filter,), absent with no_bias
    out  (N, num_filter, *size), size = stride (space - 1) + dilate (kernel - 1) + 1 - 2 pad + adj

    adj: the number of extra elements of out along each axis; less than stride.
    target_shape: the output size; pad and adj are then computed from it.
    kernel: the size of a window along each of 1, 2 or 3 spatial axes.
    stride: the step from one window to the next, one for each axis of kernel; 1 by default.
    dilate: the step from one element of a window to the next along each axis; 1 by default.
    pad: the number of zeros added on both sides of each spatial axis; 0 by default.
    num_filter: the number of filters, which is the number of output channels.
    num_group: the number of groups of channels and filters; each group of filters reads only its own channels.
    workspace: the size in MB of cuDNN's workspace.
    no_bias: if True, omit the bias.
    cudnn_tune: how cuDNN's algorithm is chosen: by cuDNN's own ranking ('off'), or by measured time, within the
        workspace ('limited_workspace') or without a limit ('fastest'). None reads MXNET_CUDNN_AUTOTUNE_DEFAULT (0, 1 or
        2; 0 if it is unset).
    cudnn_off: if True, avoid cuDNN on a GPU; elsewhere it has no effect.
    layout: the order of the axes. If it ends in C, channels are the last axis of data, weight and out.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> data, weight = nd.array([[[1, 2]]]), nd.array([[[1, 1, 1]]])
    >>> print(nd.Deconvolution(data, weight, kernel=3, stride=2, num_filter=1).asnumpy())
    [[[1. 1. 3. 2. 2.]]]
    """

def Dropout(data: Symbol, p: Number = 0.5, mode: Literal['training', 'always'] = 'training', axes: Shape = (), cudnn_off: bool | None = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """In training, sets each element to 0 with probability p and multiplies the others by 1 / (1 - p).

    data (any shape) | out like data | hidden: mask with 1 / (1 - p) or 0, of length 1 along `axes`

    In predict mode, data is unchanged unless mode='always'.

    p: the probability of dropping an element.
    mode: 'training' drops elements only in train mode, 'always' also in predict mode.
    axes: the axes along which elements are dropped together, with one draw per position in the other axes.
    cudnn_off: changes nothing; in MXNet True leaves cuDNN out.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Srivastava et al., JMLR 15 (2014).

    >>> print(nd.Dropout(nd.ones(4), p=0.5).asnumpy())
    [1. 1. 1. 1.]
    >>> with autograd.record():
    ...     print(set(nd.Dropout(nd.ones(100), p=0.5).asnumpy().tolist()) == {0, 2})
    True
    """

def ElementWiseSum(*args: Symbol, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The sum of any number of arrays of the same shape.

    args (any shape, the same for all) | out (the same)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.add_n(nd.array([1, 2]), nd.array([10, 20]), nd.array([100, 200])).asnumpy()
    array([111., 222.], dtype=float32)
    """

def Embedding(data: Symbol, weight: Symbol | None = None, *, input_dim: int, output_dim: int, dtype: DType = 'float32', sparse_grad: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """For each element i of data, row i of weight.

    data (any shape) | weight (input_dim, output_dim) | out (*data's shape, output_dim)

    An index out of range is an error. -1, which marks padding, counts as 0. In lenient mode, and on a GPU, such indices
    are clipped, as in MXNet.

    input_dim: the number of rows in weight, which is the size of the vocabulary.
    output_dim: the length of a row.
    dtype: the type of weight if it is unknown.
    sparse_grad: if True, make the gradient of weight row_sparse, except in a graph, where it is dense.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> weight = nd.array([[0, 0], [1, 10], [2, 20]])
    >>> nd.Embedding(nd.array([2, 1]), weight, input_dim=3, output_dim=2).asnumpy()
    array([[ 2., 20.],
           [ 1., 10.]], dtype=float32)
    """

def Flatten(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Joins all axes except the first into one.

    data (N, *rest) | out (N, product of rest)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.flatten(nd.array([[[1, 2], [3, 4]]])).asnumpy()
    array([[1., 2., 3., 4.]], dtype=float32)
    """

def FullyConnected(data: Symbol, weight: Symbol | None = None, bias: Symbol | None = None, *, num_hidden: int, no_bias: bool = False, flatten: bool = True, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """out = data · weightᵀ + bias.

    data (N, *rest) if flatten else (*lead, K) | weight (num_hidden, K) | bias (num_hidden,), absent with no_bias
    out  (N, num_hidden) or (*lead, num_hidden)

    num_hidden: the number of outputs per row.
    no_bias: if True, omit the bias.
    flatten: if True, flatten all axes of data except the first into one; if False, transform only the last axis.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> weight, bias = nd.array([[1, 1], [0, 2]]), nd.array([0, 10])
    >>> print(nd.FullyConnected(nd.array([[3, 4]]), weight, bias, num_hidden=2).asnumpy())
    [[ 7. 18.]]
    """

def GridGenerator(data: Symbol, transform_type: Literal['affine', 'warp'], target_shape: Shape = (0, 0), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The grid for BilinearSampler: the source point of each element in its result.

    data (N, 6), or with warp (N, 2, H, W) | out (N, 2, h, w), or with warp like data

    With affine, data contains matrices (2, 3), and out contains the matrix times (x, y, 1) for each point (x, y) of a
    regular grid from -1 to 1. With warp, data contains the shift of each element along x and y, in elements.

    transform_type: affine or warp.
    target_shape: the (h, w) of the grid, for affine.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Jaderberg, Simonyan, Zisserman and Kavukcuoglu 2015, Spatial transformer networks, arXiv:1506.02025.

    >>> matrix = nd.array([[0.5, 0, 0, 0, 1, 0]])
    >>> print(nd.GridGenerator(matrix, transform_type="affine", target_shape=(2, 3)).asnumpy())
    [[[[-0.5  0.   0.5]
       [-0.5  0.   0.5]]
    <BLANKLINE>
      [[-1.  -1.  -1. ]
       [ 1.   1.   1. ]]]]
    """

def GroupNorm(data: Symbol, gamma: Symbol | None = None, beta: Symbol | None = None, *, num_groups: int = 1, eps: Number = 1e-05, output_mean_var: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Normalizes num_groups groups of channels of each item to mean 0 and variance 1, then scales by gamma and adds
    beta.

    data (N, C, *space) | gamma, beta (num_groups,) | out like data
    with output_mean_var also mean and √(var + eps), both (N, num_groups)

    num_groups: the number of groups; it must divide the number of channels.
    eps: added to the variance before the square root.
    output_mean_var: if True, also return mean and √(var + eps).
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Wu and He, arXiv:1803.08494.

    >>> data = nd.array([[[1], [5], [0], [2]]])
    >>> print(nd.GroupNorm(data, nd.array([1, 2]), nd.zeros(2), num_groups=2, eps=0).asnumpy().ravel())
    [-1.  1. -2.  2.]
    """

def InstanceNorm(data: Symbol, gamma: Symbol | None = None, beta: Symbol | None = None, *, eps: Number = 0.001, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Normalizes each channel of each item to mean 0 and variance 1: out = (data - mean) / √(var + eps) · gamma + beta.

    data (N, C, *space) | gamma, beta (C,) | out like data | hidden: mean and √(var + eps), with spatial axes of length
    1

    eps: added to the variance before the square root.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Ulyanov, Vedaldi and Lempitsky, arXiv:1607.08022.

    >>> print(nd.InstanceNorm(nd.array([[[1, 5], [0, 2]]]), nd.array([1, 2]), nd.zeros(2), eps=0).asnumpy())
    [[[-1.  1.]
      [-2.  2.]]]
    """

def L2Normalization(data: Symbol, eps: Number = 1e-10, mode: Literal['channel', 'instance', 'spatial'] = 'instance', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data / √(Σ data² + eps): vectors of length 1.

    data (N, C, *space) | out like data | hidden: the norms, with length 1 for the summed axes

    eps: added to the sum of squares before the square root.
    mode: sum over an entire item (instance), over the channels (channel) or over the spatial axes (spatial).
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> print(nd.L2Normalization(nd.array([[3, 4]])).asnumpy().round(3))
    [[0.6 0.8]]
    """

def LRN(data: Symbol, *, alpha: Number = 0.0001, beta: Number = 0.75, knorm: Number = 2.0, nsize: int, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data · (knorm + alpha / nsize · Σ data²)^-beta, with the sum over a channel and (nsize - 1) // 2 channels on
    either side.

    data (N, C, *space) | out like data

    alpha: the factor of the mean of squares.
    beta: the exponent.
    knorm: added to the sum.
    nsize: the number of neighboring channels in the sum; odd.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Krizhevsky, Sutskever and Hinton, NIPS 2012.

    >>> print(nd.LRN(nd.array([[[1], [3]]]), alpha=3, beta=1, knorm=0, nsize=3).asnumpy().ravel().round(3))
    [0.1 0.3]
    """

def LayerNorm(data: Symbol, gamma: Symbol | None = None, beta: Symbol | None = None, *, axis: int = -1, eps: Number = 1e-05, output_mean_var: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Normalizes the elements along `axis` to mean 0 and variance 1: out = (data - mean) / √(var + eps) · gamma + beta.

    data (any shape) | gamma, beta (data.shape[axis],) | out like data
    with output_mean_var also mean and √(var + eps), where the axis has length 1

    axis: the axis over which mean and variance are computed.
    eps: added to the variance before the square root.
    output_mean_var: if True, also return mean and √(var + eps).
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Ba, Kiros and Hinton, arXiv:1607.06450.

    >>> print(nd.LayerNorm(nd.array([[1, 5]]), nd.array([1, 2]), nd.array([0, 10]), eps=0).asnumpy())
    [[-1. 12.]]
    """

def LeakyReLU(data: Symbol, gamma: Symbol | None = None, *, act_type: Literal['elu', 'gelu', 'leaky', 'prelu', 'rrelu', 'selu'] = 'leaky', slope: Number = 0.25, lower_bound: Number = 0.125, upper_bound: Number = 0.334, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data where it is positive; elsewhere

    leaky slope · x | elu slope · (eˣ - 1) | prelu gamma · x | rrelu a random slope in [lower_bound, upper_bound)
    selu λ α (eˣ - 1), and λ x above | gelu x Φ(x) everywhere, with Φ the normal distribution function

    data (N, C, ...) | gamma (C,) or (1,), or slopes for the first axes of data, only with prelu | out like data
    hidden with rrelu: the slope of each element

    act_type: the function to apply.
    slope: the factor of leaky and elu.
    lower_bound: the minimum slope that rrelu draws in training; in prediction the slope is the mean of the two bounds.
    upper_bound: the exclusive upper bound of the slopes that rrelu draws.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Maas et al. 2013 (leaky), Clevert et al. arXiv:1511.07289 (elu), He et al. arXiv:1502.01852 (prelu),
    Xu et al. arXiv:1505.00853 (rrelu), Klambauer et al. arXiv:1706.02515 (selu), Hendrycks and Gimpel
    arXiv:1606.08415 (gelu).

    >>> print(nd.LeakyReLU(nd.array([-4, 0, 2]), act_type="leaky", slope=0.25).asnumpy())
    [-1.  0.  2.]
    >>> print(nd.LeakyReLU(nd.array([[-4, -4]]), nd.array([0.5, 2]), act_type="prelu").asnumpy())
    [[-2. -8.]]
    """

def LinearRegressionOutput(data: Symbol, label: Symbol | None = None, *, grad_scale: Number = 1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """out = data; the gradient is that of the squared error, (out - label) / (elements of an item).

    data (N, ...) | label like data, or another shape with as many elements | out like data

    grad_scale: the factor of the gradient.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> data, label = nd.array([[[8, 1]], [[4, 1]]])
    >>> data.attach_grad()
    >>> with autograd.record():
    ...     out = nd.LinearRegressionOutput(data, label)
    >>> out.backward()
    >>> print(data.grad.asnumpy())
    [[2. 0.]]
    """

def LogisticRegressionOutput(data: Symbol, label: Symbol | None = None, *, grad_scale: Number = 1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """out = sigmoid(data); the gradient is that of the cross entropy, (out - label) / (elements of an item).

    data (N, ...) | label like data, or another shape with as many elements | out like data

    grad_scale: the factor of the gradient.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> data, label = nd.array([[[0, 0]], [[1, 0]]])
    >>> data.attach_grad()
    >>> with autograd.record():
    ...     out = nd.LogisticRegressionOutput(data, label)
    >>> out.backward()
    >>> print(data.grad.asnumpy())
    [[-0.25  0.25]]
    """

def MAERegressionOutput(data: Symbol, label: Symbol | None = None, *, grad_scale: Number = 1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """out = data; the gradient is that of the absolute error, sign(out - label) / (elements of an item).

    data (N, ...) | label like data, or another shape with as many elements | out like data

    grad_scale: the factor of the gradient.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> data, label = nd.array([[[8, 1]], [[4, 1]]])
    >>> data.attach_grad()
    >>> with autograd.record():
    ...     out = nd.MAERegressionOutput(data, label)
    >>> out.backward()
    >>> print(data.grad.asnumpy())
    [[0.5 0. ]]
    """

def MakeLoss(data: Symbol, grad_scale: Number = 1.0, valid_thresh: Number = 0.0, normalization: Literal['batch', 'null', 'valid'] = 'null', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data as the loss at the end of a graph: its gradient is grad_scale, regardless of the head gradient.

    data (any shape) | out like data

    grad_scale: the gradient of each element, before normalization.
    valid_thresh: the threshold for normalization='valid'.
    normalization: 'batch' divides by the rows of data as a matrix (N, last axis), 'valid' by the number of elements
        above `valid_thresh`; 'null' does not divide.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> x = nd.array([1, 2])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.MakeLoss(3 * x, grad_scale=10)
    >>> y.backward()
    >>> x.grad.asnumpy()
    array([30., 30.], dtype=float32)
    """

def Pad(data: Symbol, mode: Literal['constant', 'edge', 'reflect'], pad_width: Shape, constant_value: Number = 0.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Adds elements around the array. Gradients of added constants are dropped; gradients of copies are added to those
    of the originals.

    data (d1 … dN) | out: each axis longer by its two values in pad_width

    mode: 'constant' adds `constant_value`, 'edge' repeats the outermost element, and 'reflect' mirrors the elements
        next to the outermost one.
    pad_width: how many elements to add before and after each axis, as one flat tuple.
    constant_value: the value that 'constant' adds.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.pad(nd.array([[1, 2, 3]]), mode="reflect", pad_width=(0, 0, 1, 2)).asnumpy()
    array([[2., 1., 2., 3., 2., 1.]], dtype=float32)
    """

def Pooling(data: Symbol, kernel: Shape = (), pool_type: Literal['max', 'avg', 'sum', 'lp'] = 'max', global_pool: bool = False, cudnn_off: bool = False, pooling_convention: Literal['valid', 'full', 'same'] = 'valid', stride: Shape = (), pad: Shape = (), p_value: int | None = None, count_include_pad: bool | None = None, layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The largest element (max), mean (avg), sum or p-norm (lp) of each window.

    data (N, C, *space) | out (N, C, *windows); channels last in a layout that ends in C
    windows = (space + 2 pad - kernel) / stride + 1, rounded down (valid) or up (full); ceil(space / stride) for same

    lp keeps the sign for an odd p. Padding never counts as the largest element.

    kernel: the size of a window along each spatial axis; optional with global_pool.
    pool_type: computes the largest element (max), mean (avg), sum, or p-norm (lp) of a window.
    global_pool: if True, use one window that covers the entire space; stride and pad are then ignored.
    cudnn_off: changes nothing; in MXNet True leaves cuDNN out.
    pooling_convention: the number of windows is rounded down (valid), rounded up (full), or ceil(space / stride)
    stride: the step from one window to the next along each axis; 1 by default.
    pad: the padding on both sides of each spatial axis; 0 by default.
    p_value: the p of lp, (Σ xᵖ)^(1/p).
    count_include_pad: if False, divide an average by the number of elements that are not padding.
    layout: the order of the axes; if it ends in C, channels are last.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> data = nd.array([[[1, 5, 2, 4]]])
    >>> print(nd.Pooling(data, kernel=2, stride=2).asnumpy(), nd.Pooling(data, kernel=2, pool_type="avg").asnumpy())
    [[[5. 4.]]] [[[3.  3.5 3. ]]]
    """

def Pooling_v1(data: Symbol, kernel: Shape = (), pool_type: Literal['max', 'avg', 'sum'] = 'max', global_pool: bool = False, pooling_convention: Literal['valid', 'full'] = 'valid', stride: Shape = (), pad: Shape = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The largest element (max), mean (avg) or sum of each window, with the padding counted as zeros.

    data (N, C, H, W) | out (N, C, *windows), windows = (space + 2 pad - kernel) / stride + 1, rounded down or up

    Padding may therefore be the largest element, and an average divides by the full kernel size, even if the window
    extends beyond the border.

    kernel: the size of a window, (height, width).
    pool_type: the function applied to a window.
    global_pool: if True, use one window that covers the entire image.
    pooling_convention: valid rounds the number of windows down, full rounds it up.
    stride: the step from one window to the next along each axis; 1 by default.
    pad: the number of zeros added on both sides of each spatial axis; 0 by default.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> print(nd.Pooling_v1(nd.array([[[[-1, -2]]]]), kernel=(1, 2), pad=(0, 1), pool_type="max").asnumpy())
    [[[[ 0. -1.  0.]]]]
    """

def RNN(data: Symbol, parameters: Symbol | None = None, state: Symbol | None = None, state_cell: Symbol | None = None, sequence_length: Symbol | None = None, *, state_size: int, num_layers: int, bidirectional: bool = False, mode: Literal['rnn_relu', 'rnn_tanh', 'lstm', 'gru'], p: Number = 0.0, state_outputs: bool = False, projection_size: int | None = None, lstm_state_clip_min: Number | None = None, lstm_state_clip_max: Number | None = None, lstm_state_clip_nan: bool = False, use_sequence_length: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """A stack of recurrent layers over a sequence.

    With a = W x + b + R h' + d for each gate, h' and c' the previous state and cell, and σ the sigmoid:
    rnn_relu h = max(a, 0) | rnn_tanh h = tanh(a) | lstm c = σ(a_f) c' + σ(a_i) tanh(a_g), h = σ(a_o) tanh(c)
    gru      h = (1 - z) n + z h', z = σ(a_z), n = tanh(W_n x + b_n + r (R_n h' + d_n)), r = σ(a_r)

    data (T, N, inputs) | parameters (size,), packed as in `rnn.layout.parameter_shapes`
    state (L D, N, R) | state_cell (L D, N, H), only for lstm | sequence_length (N,), with use_sequence_length
    out (T, N, D R) | with state_outputs also the final states, shaped like the initial ones
    hidden: reserve, a vector of values for the gradient, laid out as in `rnn.layout.reserve_shapes`

    D = 2 if bidirectional else 1, R = projection_size or H. With use_sequence_length, data after an item's end is
    ignored, its outputs there are 0, and its final state is the state at its end, where the direction 'r' begins.
    float16 is computed in float32.

    state_size: the length H of a state.
    num_layers: the number of stacked layers L.
    bidirectional: if True, run each layer from both ends and join the two results.
    mode: the type of cell.
    p: the probability of dropping elements of a layer's output in training, except for the last layer.
    state_outputs: if True, also return the final states.
    projection_size: the length R to which the state of an lstm is projected; None for no projection.
    lstm_state_clip_min: the lower bound of an lstm's cells, given together with the upper bound; None for no bounds.
    lstm_state_clip_max: the upper bound of an lstm's cells.
    lstm_state_clip_nan: if True, replace NaN with the lower bound.
    use_sequence_length: if True, sequence_length gives the number of steps in each item.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises OpAttributeError for sizes below 1, p outside [0, 1], and lstm attributes in another mode.
    Source: Hochreiter and Schmidhuber 1997 (lstm), Cho et al. arXiv:1406.1078 (gru).

    All weights are 1 and all biases 0, so each step adds its data to the state.

    >>> data, parameters, state = nd.array([1, 2, 3]).reshape((3, 1, 1)), nd.array([1, 1, 0, 0]), nd.zeros((1, 1, 1))
    >>> print(nd.RNN(data, parameters, state, mode="rnn_relu", state_size=1, num_layers=1).asnumpy().ravel())
    [1. 3. 6.]
    """

def ROIPooling(data: Symbol, rois: Symbol | None = None, *, pooled_size: Shape, spatial_scale: Number, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Divides each region into bins and returns the maximum of each bin; 0 for a bin without elements.

    data (N, C, H, W) | rois (R, 5): the image's index, xmin, ymin, xmax, ymax, inclusive, in units of 1 /
    spatial_scale; for a region without an image (-1) the result is zeros | out (R, C, h, w)

    pooled_size: (h, w), the number of bins in a region along each axis.
    spatial_scale: the number of data elements per unit in rois.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Girshick 2015, Fast R-CNN, arXiv:1504.08083.

    >>> data, rois = nd.array([[[[1, 2, 3, 4], [5, 6, 7, 8]]]]), nd.array([[0, 0, 0, 3, 1]])
    >>> print(nd.ROIPooling(data, rois, pooled_size=(1, 2), spatial_scale=1).asnumpy())
    [[[[6. 8.]]]]
    """

def Reshape(data: Symbol, shape: Shape = (), reverse: bool = False, target_shape: Shape = (), keep_highest: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The same elements in a different shape.

    data (any shape) | out: described by `shape`, with the same number of elements

    shape: the lengths of the result; 0 copies a dimension of data, -1 is computed from the others, -2 copies the
        remaining dimensions, -3 joins two dimensions, -4 splits one into the two numbers that follow (one of them may
        be -1).
    reverse: if True, read these codes from right to left, so that the two numbers of a split precede its -4.
    target_shape: an older form of `shape`, in which 0 stands for a length computed from the others.
    keep_highest: if True, keep data's first dimension and ignore the first item of `target_shape`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.reshape(nd.arange(6), shape=(2, -1)).asnumpy()
    array([[0., 1., 2.],
           [3., 4., 5.]], dtype=float32)
    >>> nd.reshape(nd.zeros((2, 3, 4)), shape=(-3, 0)).shape
    (6, 4)
    """

def SVMOutput(data: Symbol, label: Symbol | None = None, *, margin: Number = 1.0, regularization_coefficient: Number = 1.0, use_linear: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data unchanged; the gradient is that of each class's hinge loss against all others.

    data (N, classes) | label (N,) | out like data

    With t = 1 for the label's class and -1 for the others, and short = margin - t · score, the loss of a score is
    regularization_coefficient · short² where short > 0.

    margin: a score has a loss if t · score is below margin.
    regularization_coefficient: the factor of the loss.
    use_linear: if True, use short instead of its square.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> data = nd.array([[0.5, -2]])
    >>> data.attach_grad()
    >>> with autograd.record():
    ...     out = nd.SVMOutput(data, nd.array([0]), use_linear=True)
    >>> out.backward()
    >>> print(data.grad.asnumpy())
    [[-1.  0.]]
    """

def SequenceLast(data: Symbol, sequence_length: Symbol | None = None, *, use_sequence_length: bool = False, axis: int = 0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The last element of each sequence. A length of 0 counts as 1.

    data (T, N, ...) | sequence_length (N,) | out (N, ...)

    use_sequence_length: if True, require the input sequence_length (N,); if False, use every sequence in full.
    axis: the time axis: 0 for data (T, N, ...), 1 for data (N, T, ...).
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> x = nd.array([[1, 10], [2, 20], [3, 30]])
    >>> nd.SequenceLast(x, nd.array([2, 3]), use_sequence_length=True).asnumpy()
    array([ 2., 30.], dtype=float32)
    """

def SequenceMask(data: Symbol, sequence_length: Symbol | None = None, *, use_sequence_length: bool = False, value: Number = 0.0, axis: int = 0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Sets the elements after the end of each sequence to `value`. Without use_sequence_length, returns a copy.

    data (T, N, ...) | sequence_length (N,) | out like data

    value: the value after the end.
    use_sequence_length: if True, require the input sequence_length (N,); if False, use every sequence in full.
    axis: the time axis: 0 for data (T, N, ...), 1 for data (N, T, ...).
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.SequenceMask(nd.ones((3, 2)), nd.array([1, 2]), use_sequence_length=True).asnumpy()
    array([[1., 1.],
           [0., 1.],
           [0., 0.]], dtype=float32)
    """

def SequenceReverse(data: Symbol, sequence_length: Symbol | None = None, *, use_sequence_length: bool = False, axis: int = 0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Reverses each sequence. Elements after its end stay where they are.

    data (T, N, ...) | sequence_length (N,) | out like data

    use_sequence_length: if True, require the input sequence_length (N,); if False, use every sequence in full.
    axis: the time axis: 0 for data (T, N, ...), 1 for data (N, T, ...).
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> x = nd.array([[1, 10], [2, 20], [3, 30]])
    >>> nd.SequenceReverse(x, nd.array([2, 3]), use_sequence_length=True).asnumpy()
    array([[ 2., 30.],
           [ 1., 20.],
           [ 3., 10.]], dtype=float32)
    """

def SliceChannel(data: Symbol, num_outputs: int, axis: int = 1, squeeze_axis: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Splits axis `axis` into `num_outputs` equal parts. A single part is returned as an array, several parts as a
    list.

    data (*lead, n, *rest) | outputs: (*lead, n / num_outputs, *rest) each, or (*lead, *rest) with squeeze_axis

    num_outputs: the number of parts; it must divide n.
    axis: the axis of length n.
    squeeze_axis: if True, remove the axis; the parts must have length 1.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> a, b = nd.split(nd.array([[1, 2, 3, 4]]), num_outputs=2, axis=1)
    >>> a.asnumpy(), b.asnumpy()
    (array([[1., 2.]], dtype=float32), array([[3., 4.]], dtype=float32))
    """

def Softmax(data: Symbol, label: Symbol | None = None, *, grad_scale: Number = 1.0, ignore_label: Number = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: Literal['batch', 'null', 'valid'] = 'null', out_grad: bool = False, smooth_alpha: Number = 0.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """softmax(data); the gradient is that of the cross entropy with label: softmax(data) - one_hot(label).

    data (N, classes); or (N, ...), with the other axes as the classes
         with multi_output (N, classes, *positions), with preserve_shape (*positions, classes)
    label (N,), or (N, ...) without the last axis of data; only the first N are used, as in MXNet;
         with multi_output (N, *positions), (N, 1, *positions) or (N, number of positions), with preserve_shape
         (*positions): class indices, where an invalid index stands for no class; or probabilities, shaped like data
    out  like data

    The gradient does not depend on the head gradient, unless out_grad=True. With multi_output it is also divided by the
    number of positions, except for normalization='valid'.

    grad_scale: the factor of the gradient.
    ignore_label: the label that is ignored with use_ignore and not counted with normalization='valid'.
    multi_output: if True, axis 1 of data contains the classes, and each position in the other axes has a label.
    use_ignore: if True, set the gradient of items with ignore_label to 0.
    preserve_shape: if True, the last axis of data contains the classes, and each position in the other axes has a
        label.
    normalization: the divisor of the gradient, which is the number of labels (batch), the number of labels not ignored
    out_grad: if True, multiply the gradient by the head gradient.
    smooth_alpha: the share of a label's probability that is spread equally over the other classes.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> data = nd.array([[0, 0]])
    >>> data.attach_grad()
    >>> with autograd.record():
    ...     out = nd.SoftmaxOutput(data, nd.array([1]))
    >>> out.backward()
    >>> print(out.asnumpy(), data.grad.asnumpy())
    [[0.5 0.5]] [[ 0.5 -0.5]]
    """

def SoftmaxActivation(data: Symbol, mode: Literal['instance', 'channel'] = 'instance', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """An older softmax operator, over the last axis or over the channels. See `softmax`.

    data (any shape), with mode channel (N, C, ...) | out like data

    mode: 'instance' for the last axis, 'channel' for axis 1.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> print(nd.SoftmaxActivation(nd.array([[3, 3]])).asnumpy())
    [[0.5 0.5]]
    """

def SoftmaxOutput(data: Symbol, label: Symbol | None = None, *, grad_scale: Number = 1.0, ignore_label: Number = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: Literal['batch', 'null', 'valid'] = 'null', out_grad: bool = False, smooth_alpha: Number = 0.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """softmax(data); the gradient is that of the cross entropy with label: softmax(data) - one_hot(label).

    data (N, classes); or (N, ...), with the other axes as the classes
         with multi_output (N, classes, *positions), with preserve_shape (*positions, classes)
    label (N,), or (N, ...) without the last axis of data; only the first N are used, as in MXNet;
         with multi_output (N, *positions), (N, 1, *positions) or (N, number of positions), with preserve_shape
         (*positions): class indices, where an invalid index stands for no class; or probabilities, shaped like data
    out  like data

    The gradient does not depend on the head gradient, unless out_grad=True. With multi_output it is also divided by the
    number of positions, except for normalization='valid'.

    grad_scale: the factor of the gradient.
    ignore_label: the label that is ignored with use_ignore and not counted with normalization='valid'.
    multi_output: if True, axis 1 of data contains the classes, and each position in the other axes has a label.
    use_ignore: if True, set the gradient of items with ignore_label to 0.
    preserve_shape: if True, the last axis of data contains the classes, and each position in the other axes has a
        label.
    normalization: the divisor of the gradient, which is the number of labels (batch), the number of labels not ignored
    out_grad: if True, multiply the gradient by the head gradient.
    smooth_alpha: the share of a label's probability that is spread equally over the other classes.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> data = nd.array([[0, 0]])
    >>> data.attach_grad()
    >>> with autograd.record():
    ...     out = nd.SoftmaxOutput(data, nd.array([1]))
    >>> out.backward()
    >>> print(out.asnumpy(), data.grad.asnumpy())
    [[0.5 0.5]] [[ 0.5 -0.5]]
    """

def SpatialTransformer(data: Symbol, loc: Symbol | None = None, *, target_shape: Shape = (0, 0), transform_type: Literal['affine'], sampler_type: Literal['bilinear'], cudnn_off: bool | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data sampled at an affine grid: GridGenerator applied to loc, then BilinearSampler.

    data (N, C, H, W) | loc (N, 6): matrices (2, 3) | out (N, C, h, w)

    target_shape: the (h, w) of the grid.
    transform_type: affine, the only type.
    sampler_type: bilinear, the only type.
    cudnn_off: changes nothing; in MXNet True leaves cuDNN out.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Jaderberg, Simonyan, Zisserman and Kavukcuoglu 2015, Spatial transformer networks, arXiv:1506.02025.

    >>> data, mirror = nd.array([[[[1, 2], [3, 4]]]]), nd.array([[-1, 0, 0, 0, 1, 0]])
    >>> how = {"target_shape": (2, 2), "transform_type": "affine", "sampler_type": "bilinear"}
    >>> print(nd.SpatialTransformer(data, mirror, **how).asnumpy())
    [[[[2. 1.]
       [4. 3.]]]]
    """

def SwapAxis(data: Symbol, dim1: int = 0, dim2: int = 0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Exchanges the axes dim1 and dim2.

    data (any shape) | out: data's shape with the two lengths exchanged

    dim1, dim2: the two axes; negative numbers count from the end.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.swapaxes(nd.zeros((2, 3, 4)), dim1=0, dim2=2).shape
    (4, 3, 2)
    """

def UpSampling(*data: Symbol, scale: int, num_filter: int = 0, sample_type: Literal['bilinear', 'nearest'], multi_input_mode: Literal['concat', 'sum'] = 'concat', workspace: int = 512, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Makes the two spatial axes `scale` times as long.

    data: for nearest, any number of arrays (N, C, h, w); for bilinear, (N, num_filter, h, w) and weight (num_filter, 1,
    k, k), k = 2 scale - scale % 2 | out (N, C, scale · h, scale · w)

    nearest repeats each element. All inputs are scaled to `scale` times the size of the first, then joined along the
    channels (concat) or added (sum). bilinear applies a Deconvolution with the filter weight to each channel.

    scale: the factor for height and width.
    num_filter: the number of channels, only for bilinear.
    sample_type: nearest or bilinear.
    multi_input_mode: how several inputs of nearest are combined.
    num_args: the number of inputs, which is set automatically.
    workspace: changes nothing; in MXNet the memory that a kernel may take, in MB.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> print(nd.UpSampling(nd.array([[[[1, 2]]]]), scale=2, sample_type="nearest").asnumpy())
    [[[[1. 1. 2. 2.]
       [1. 1. 2. 2.]]]]
    """

def abs(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """|x|

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.abs(nd.array([-1, 0, 2])).asnumpy()
    array([1., 0., 2.], dtype=float32)
    """

def adam_update(weight: Symbol, grad: Symbol | None = None, mean: Symbol | None = None, var: Symbol | None = None, *, lr: Number, beta1: Number = 0.9, beta2: Number = 0.999, epsilon: Number = 1e-08, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, lazy_update: bool = True, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """d = clip(rescale_grad · grad + wd · weight); mean and var are running means of d and d² with beta1 and beta2;
    weight - lr · mean / (√var + epsilon). The caller includes the bias correction in lr.

    weight, grad, mean, var (any shape) | out like weight; mean and var are overwritten

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    beta1: the decay rate of the running mean of the gradient.
    beta2: the decay rate of the running mean of the squared gradient.
    epsilon: added to the denominator to avoid division by 0.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    lazy_update: if True, update only the rows that a row_sparse gradient contains.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Kingma and Ba 2014, Adam, arXiv:1412.6980.

    >>> weight, mean, var = nd.array([1]), nd.zeros(1), nd.zeros(1)
    >>> weight = nd.adam_update(weight, nd.array([4]), mean, var, lr=1, beta1=0.5, beta2=0.75, epsilon=0)
    >>> print(mean.asnumpy(), var.asnumpy(), weight.asnumpy())
    [2.] [4.] [0.]
    """

def add_n(*args: Symbol, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The sum of any number of arrays of the same shape.

    args (any shape, the same for all) | out (the same)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.add_n(nd.array([1, 2]), nd.array([10, 20]), nd.array([100, 200])).asnumpy()
    array([111., 222.], dtype=float32)
    """

def all_finite(data: Symbol, init_output: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 if no element is infinite or NaN, else 0, as float32.

    data (any shape) | out (1,)

    init_output: no effect; in MXNet, False combines the result with the value already in `out=`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.all_finite(nd.array([1, np.inf])).asnumpy()
    array([0.], dtype=float32)
    """

def amp_cast(data: Symbol, dtype: DType, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Cast for mixed precision: floats become `dtype`; other types are unchanged.

    data (any shape) | out like data

    dtype: the floating-point type of the result.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.amp_cast(nd.array([1.5]), dtype="float16").asnumpy()
    array([1.5], dtype=float16)
    """

def amp_multicast(*data: Symbol, num_outputs: int, cast_narrow: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """All inputs, float32 or narrower floats, converted to the widest of their types. Returns one output per input.

    data (any shapes) | outputs: one like each input, of the common type

    num_outputs: the number of inputs.
    cast_narrow: if True, take the narrowest type instead.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> a, b = nd.amp_multicast(nd.array([1.5], dtype="float16"), nd.array([2.5]), num_outputs=2)
    >>> a.asnumpy(), b.asnumpy()
    (array([1.5], dtype=float32), array([2.5], dtype=float32))
    """

def arccos(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """inverse cosine, in radians

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.arccos(nd.array([1, 0])).asnumpy().round(2)
    array([0.  , 1.57], dtype=float32)
    """

def arccosh(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """inverse hyperbolic cosine

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.arccosh(nd.array([1, 2])).asnumpy().round(2)
    array([0.  , 1.32], dtype=float32)
    """

def arcsin(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """inverse sine, in radians

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.arcsin(nd.array([0, 1])).asnumpy().round(2)
    array([0.  , 1.57], dtype=float32)
    """

def arcsinh(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """inverse hyperbolic sine

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.arcsinh(nd.array([0, 1])).asnumpy().round(2)
    array([0.  , 0.88], dtype=float32)
    """

def arctan(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """inverse tangent, in radians

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.arctan(nd.array([0, 1])).asnumpy().round(2)
    array([0.  , 0.79], dtype=float32)
    """

def arctanh(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """inverse hyperbolic tangent

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.arctanh(nd.array([0, 0.5])).asnumpy().round(2)
    array([0.  , 0.55], dtype=float32)
    """

def argmax(data: Symbol, axis: int | None = None, keepdims: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The position of the largest element along an axis, in the dtype of data.

    data (any shape) | out: data's shape without the axis, (1,) if none is left or axis is None

    In a tie, the first position is returned, and NaN counts as the largest. There is no gradient.

    axis: the axis to search; None for the flattened array, with a result of shape (1,).
    keepdims: if True, leave the axis in the result, with length 1.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises DTypeError if the positions do not fit in the dtype.

    >>> nd.argmax(nd.array([[1, 3, 2], [6, 4, 5]]), axis=1).asnumpy()
    array([1., 0.], dtype=float32)
    """

def argmax_channel(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """argmax along axis 1, in the dtype of data.

    data (N, C, *rest) | out (N, *rest)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.argmax_channel(nd.array([[1, 3, 2], [6, 4, 5]])).asnumpy()
    array([1., 0.], dtype=float32)
    """

def argmin(data: Symbol, axis: int | None = None, keepdims: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The position of the smallest element along an axis, in the dtype of data.

    data (any shape) | out: data's shape without the axis, (1,) if none is left or axis is None

    In a tie, the first position is returned, and NaN counts as the smallest. There is no gradient.

    axis: the axis to search; None for the flattened array, with a result of shape (1,).
    keepdims: if True, leave the axis in the result, with length 1.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises DTypeError if the positions do not fit in the dtype.

    >>> nd.argmin(nd.array([[1, 3, 2], [6, 4, 5]]), axis=1).asnumpy()
    array([0., 1.], dtype=float32)
    """

def argsort(data: Symbol, axis: int | None = -1, is_ascend: bool = True, dtype: DType = 'float32', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Positions along an axis in the order of their elements. No gradient.

    data (any shape) | out like data, or with axis=None (elements of data,), of type `dtype`

    axis: the axis to sort along; None flattens first.
    is_ascend: True for the smallest first, False for the largest.
    dtype: the element type of the positions.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.argsort(nd.array([30, 10, 20])).asnumpy()
    array([1., 2., 0.], dtype=float32)
    """

def batch_dot(lhs: Symbol, rhs: Symbol | None = None, *, transpose_a: bool = False, transpose_b: bool = False, forward_stype: str | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """op(lhs) · op(rhs) of each pair of matrices.

    lhs (*batch, m, k) | rhs (*batch, k, n) | out (*batch, m, n)

    transpose_a, transpose_b: if True, transpose the first or the second factor; op(A) is A or Aᵀ.
    forward_stype: no effect.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.batch_dot(nd.array([[[1, 2]], [[3, 4]]]), nd.array([[[1], [1]], [[10], [1]]])).asnumpy()
    array([[[ 3.]],
    <BLANKLINE>
           [[34.]]], dtype=float32)
    """

def batch_take(a: Symbol, indices: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """a[i, indices[i]] for each row i. Indices out of range are clipped.

    a (N, M) | indices (N,) | out (N,)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.batch_take(nd.array([[1, 2], [3, 4]]), nd.array([0, 1], dtype="int32")).asnumpy()
    array([1., 4.], dtype=float32)
    """

def broadcast_add(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs + rhs

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_add(nd.array([1, 2, 3]), nd.array([10])).asnumpy()
    array([11., 12., 13.], dtype=float32)
    """

def broadcast_axes(data: Symbol, axis: Shape = (), size: Shape = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data with the axes in `axis`, which have length 1, stretched to the lengths in `size`.

    data (any shape) | out: data's shape with these lengths

    axis: the axes, each of length 1.
    size: their new lengths.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_axis(nd.array([[1], [2]]), axis=1, size=3).asnumpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """

def broadcast_axis(data: Symbol, axis: Shape = (), size: Shape = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data with the axes in `axis`, which have length 1, stretched to the lengths in `size`.

    data (any shape) | out: data's shape with these lengths

    axis: the axes, each of length 1.
    size: their new lengths.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_axis(nd.array([[1], [2]]), axis=1, size=3).asnumpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """

def broadcast_div(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs / rhs

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_div(nd.array([1, 2, 3]), nd.array([4])).asnumpy().round(2)
    array([0.25, 0.5 , 0.75], dtype=float32)
    """

def broadcast_equal(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 where lhs is equal to rhs, else 0, in the inputs' dtype

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_equal(nd.array([1, 2, 3]), nd.array([2])).asnumpy()
    array([0., 1., 0.], dtype=float32)
    """

def broadcast_greater(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 where lhs is greater than rhs, else 0, in the inputs' dtype

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_greater(nd.array([1, 2, 3]), nd.array([2])).asnumpy()
    array([0., 0., 1.], dtype=float32)
    """

def broadcast_greater_equal(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 where lhs is greater than or equal to rhs, else 0, in the inputs' dtype

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_greater_equal(nd.array([1, 2, 3]), nd.array([2])).asnumpy()
    array([0., 1., 1.], dtype=float32)
    """

def broadcast_hypot(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """√(lhs² + rhs²)

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_hypot(nd.array([5, 9, 0.5]), nd.array([12])).asnumpy().round(2)
    array([13.  , 15.  , 12.01], dtype=float32)
    """

def broadcast_lesser(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 where lhs is less than rhs, else 0, in the inputs' dtype

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_lesser(nd.array([1, 2, 3]), nd.array([2])).asnumpy()
    array([1., 0., 0.], dtype=float32)
    """

def broadcast_lesser_equal(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 where lhs is less than or equal to rhs, else 0, in the inputs' dtype

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_lesser_equal(nd.array([1, 2, 3]), nd.array([2])).asnumpy()
    array([1., 1., 0.], dtype=float32)
    """

def broadcast_like(lhs: Symbol, rhs: Symbol | None = None, *, lhs_axes: Shape | None = None, rhs_axes: Shape | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs with axes of length 1 stretched to the shape of rhs.

    lhs (1 or d, ...) | rhs (d, ...) | out: the shape of lhs with these axes as in rhs

    lhs_axes, rhs_axes: the axes of lhs to stretch, and the axes of rhs with the new lengths; None for all.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_like(nd.array([[1], [2]]), nd.zeros((2, 3))).shape
    (2, 3)
    """

def broadcast_logical_and(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 where neither lhs nor rhs is 0, else 0, in the inputs' dtype

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_logical_and(nd.array([0, 1, 2]), nd.array([1])).asnumpy()
    array([0., 1., 1.], dtype=float32)
    """

def broadcast_logical_or(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 where lhs or rhs is not 0, else 0, in the inputs' dtype

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_logical_or(nd.array([0, 1, 2]), nd.array([0])).asnumpy()
    array([0., 1., 1.], dtype=float32)
    """

def broadcast_logical_xor(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 where one of lhs and rhs is 0, not both, else 0, in the inputs' dtype

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_logical_xor(nd.array([0, 1, 2]), nd.array([1])).asnumpy()
    array([1., 0., 0.], dtype=float32)
    """

def broadcast_maximum(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the larger of lhs and rhs; at a tie the gradient goes to lhs

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_maximum(nd.array([1, 2, 3]), nd.array([2])).asnumpy()
    array([2., 2., 3.], dtype=float32)
    """

def broadcast_minimum(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the smaller of lhs and rhs; at a tie the gradient goes to lhs

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_minimum(nd.array([1, 2, 3]), nd.array([2])).asnumpy()
    array([1., 2., 2.], dtype=float32)
    """

def broadcast_minus(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs - rhs

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_sub(nd.array([1, 2, 3]), nd.array([10])).asnumpy()
    array([-9., -8., -7.], dtype=float32)
    """

def broadcast_mod(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the remainder of lhs / rhs, with the sign of rhs, 0 where rhs is 0

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_mod(nd.array([5, 6, -7]), nd.array([4])).asnumpy()
    array([1., 2., 1.], dtype=float32)
    """

def broadcast_mul(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs · rhs

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_mul(nd.array([1, 2, 3]), nd.array([10])).asnumpy()
    array([10., 20., 30.], dtype=float32)
    """

def broadcast_not_equal(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 where lhs is not equal to rhs, else 0, in the inputs' dtype

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_not_equal(nd.array([1, 2, 3]), nd.array([2])).asnumpy()
    array([1., 0., 1.], dtype=float32)
    """

def broadcast_plus(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs + rhs

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_add(nd.array([1, 2, 3]), nd.array([10])).asnumpy()
    array([11., 12., 13.], dtype=float32)
    """

def broadcast_power(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs to the power of rhs

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_power(nd.array([1, 3, 0.5]), nd.array([2])).asnumpy().round(2)
    array([1.  , 9.  , 0.25], dtype=float32)
    """

def broadcast_sub(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs - rhs

    lhs, rhs (shapes that NumPy broadcasts to one) | out (that shape)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_sub(nd.array([1, 2, 3]), nd.array([10])).asnumpy()
    array([-9., -8., -7.], dtype=float32)
    """

def broadcast_to(data: Symbol, shape: Shape = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data with axes of length 1 stretched. New axes may be added in front.

    data (1 or d, ...) | out (*shape)

    shape: the shape of the result; 0 leaves an axis unchanged.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.broadcast_to(nd.array([[1], [2]]), shape=(2, 3)).asnumpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """

def cast(data: Symbol, dtype: DType, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data converted to the element type `dtype`. Floats are truncated to integers; the gradient has the type of data.

    data (any shape) | out like data, of type `dtype`

    dtype: the element type of the result.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.cast(nd.array([1.7, -1.7]), dtype="int32").asnumpy()
    array([ 1, -1], dtype=int32)
    """

def cast_storage(data: Symbol, stype: Literal['csr', 'default', 'row_sparse'], *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data converted to a different storage type. In graphs, where all arrays are dense, the result is data itself.

    data (any shape) | out like data

    stype: 'default' for a dense array, 'row_sparse' or 'csr' for a sparse one.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.cast_storage(nd.array([[0, 0], [1, 2]]), "row_sparse").indices.asnumpy()
    array([1])
    """

def cbrt(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """∛x

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.cbrt(nd.array([1, 8, -0.125])).asnumpy().round(2)
    array([ 1. ,  2. , -0.5], dtype=float32)
    """

def ceil(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the smallest integer not below x

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.ceil(nd.array([1.2, -1.2])).asnumpy()
    array([ 2., -1.], dtype=float32)
    """

def choose_element_0index(data: Symbol, index: Symbol | None = None, *, axis: int | None = -1, keepdims: bool = False, mode: Literal['clip', 'wrap'] = 'clip', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The element at the given index along axis `axis`, for each position in the other axes.

    data (*lead, n, *rest) | index (*lead, *rest), or with the axis of length 1 | out like index

    keepdims: if True, leave the axis in the result, with length 1.
    axis: the axis of length n.
    mode: how an index out of range is handled: 'clip' uses the nearest valid index, 'wrap' takes it modulo n.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.pick(nd.array([[1, 2], [3, 4]]), nd.array([0, 1])).asnumpy()
    array([1., 4.], dtype=float32)
    """

def clip(data: Symbol, a_min: Number, a_max: Number, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data limited to [a_min, a_max]; NaN stays NaN. The gradient passes only where data is within the limits,
    including the bounds.

    data (any shape) | out like data

    a_min, a_max: the lowest and the highest value of the result.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.clip(nd.array([-5, 0, 5]), a_min=-1, a_max=2).asnumpy()
    array([-1.,  0.,  2.], dtype=float32)
    """

def col2im(data: Symbol, output_size: Shape, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The columns of im2col written to a plane of output_size; where windows overlap, elements are summed.

    data (N, C · elements of kernel, windows) | out (N, C, *output_size)

    output_size: the length of each spatial axis of out.
    kernel: the size of a window along each spatial axis.
    stride: the step from one window to the next along each axis; 1 by default.
    dilate: the step from one element of a window to the next along each axis; 1 by default.
    pad: the number of zeros added on both sides of each spatial axis; 0 by default.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> print(nd.col2im(nd.array([[[1, 2], [2, 3]]]), output_size=3, kernel=2).asnumpy())
    [[[1. 4. 3.]]]
    """

def concat(*data: Symbol, dim: int = 1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The arrays joined along axis `dim`, in order. All other dimensions must agree.

    data (*lead, n0, *rest), (*lead, n1, *rest), ... | out (*lead, n0 + n1 + ..., *rest)

    dim: the axis.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.concat(nd.array([[1], [2]]), nd.array([[3, 4], [5, 6]]), dim=1).asnumpy()
    array([[1., 3., 4.],
           [2., 5., 6.]], dtype=float32)
    """

def cos(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """cosine, x in radians

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.cos(nd.array([0, np.pi / 3])).asnumpy().round(2)
    array([1. , 0.5], dtype=float32)
    """

def cosh(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """hyperbolic cosine

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.cosh(nd.array([0, 1])).asnumpy().round(2)
    array([1.  , 1.54], dtype=float32)
    """

def crop(data: Symbol, begin: Sequence[int | None], end: Sequence[int | None], step: Sequence[int | None] = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data[begin[0]:end[0]:step[0], ...], with Python's slicing rules.

    data (any shape) | out: each axis as long as its slice

    begin, end: where the slice of each axis starts and stops; None and negative values as in Python. Axes not listed
    are not sliced.

    step: the step of each axis, 1 by default; negative steps go backward.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.slice(nd.array([[1, 2, 3], [4, 5, 6]]), begin=(0, 1), end=(2, 3)).asnumpy()
    array([[2., 3.],
           [5., 6.]], dtype=float32)
    """

def ctc_loss(data: Symbol, label: Symbol | None = None, data_lengths: Symbol | None = None, label_lengths: Symbol | None = None, *, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """-log of the total probability of all alignments of data with label.

    data (T, N, classes), not yet normalized | label (N, L), T ≥ L | data_lengths, label_lengths (N,), if used
    out (N,)

    A label sequence that does not fit in its frames has loss 0 and no gradient, as in MXNet, so that the sum over a
    batch with such an item stays finite.

    use_data_lengths: if True, data_lengths gives the number of frames of each item, at most T.
    use_label_lengths: if True, label_lengths gives the number of labels of each item, at most L, regardless of the
    blank_label: the class of the blank. first: 0, and label is padded with 0; last: classes - 1, and label is padded
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError for lengths beyond T or L.
    Source: Graves, Fernández, Gomez and Schmidhuber, ICML 2006.

    Three of the four paths through two frames produce the label: 1 1, blank 1 and 1 blank.

    >>> print(nd.CTCLoss(nd.zeros((2, 1, 2)), nd.array([[1]])).asnumpy().round(3), -np.log(3 / 4).round(3))
    [0.288] 0.288
    """

def cumsum(a: Symbol, axis: int | None = None, dtype: Literal['float16', 'float32', 'float64', 'int32', 'int64', 'int8'] | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Cumulative sums: each element plus all elements before it.

    a (any shape) | out like a, or with axis=None (elements of a,)

    axis: the axis to sum along; None flattens first.
    dtype: the type of the sums and the result; None for the type of a.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.cumsum(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy()
    array([[ 1.,  3.,  6.],
           [ 4.,  9., 15.]], dtype=float32)
    """

def degrees(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """radians to degrees

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.degrees(nd.array([1, np.pi])).asnumpy().round(2)
    array([ 57.3, 180. ], dtype=float32)
    """

def depth_to_space(data: Symbol, block_size: int, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Channels spread over the plane in blocks of b · b, with b = block_size.

    data (N, b² · C, H, W) | out (N, C, b · H, b · W)

    block_size: b, the height and width of a block.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.depth_to_space(nd.array([1, 2, 3, 4]).reshape((1, 4, 1, 1)), block_size=2).asnumpy()
    array([[[[1., 2.],
             [3., 4.]]]], dtype=float32)
    """

def diag(data: Symbol, k: int = 0, axis1: int = 0, axis2: int = 1, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The k-th diagonal of a matrix or of the planes spanned by axis1 and axis2; for a vector, the matrix with this
    diagonal.

    data (n,) | out (n + |k|, n + |k|), otherwise data (..., rows, columns) | out (..., length of the diagonal)

    axis1, axis2: the axes for rows and columns, if data has more than two axes.
    k: 0 is the main diagonal, 1 the one above it, -1 the one below.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.diag(nd.array([[1, 2], [3, 4]])).asnumpy()
    array([1., 4.], dtype=float32)
    >>> nd.diag(nd.array([5]), k=1).asnumpy()
    array([[0., 5.],
           [0., 0.]], dtype=float32)
    """

def dot(lhs: Symbol, rhs: Symbol | None = None, *, transpose_a: bool = False, transpose_b: bool = False, forward_stype: str | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The product over the last axis of lhs and the first axis of rhs: out[i, j] = Σ lhs[i, k] · rhs[k, j].

    lhs (*a, K) | rhs (K, *b) | out (*a, *b); (1,) for two vectors

    transpose_a: if True, move lhs's first axis to its end; for a matrix this is the transpose.
    transpose_b: if True, move rhs's last axis to its front; for a matrix this is the transpose.
    forward_stype: the storage type of a product with sparse arrays; "default" makes the product dense.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> lhs, rhs = nd.array([[1, 2], [3, 4]]), nd.array([10, 1])
    >>> print(nd.dot(lhs, rhs).asnumpy(), nd.dot(lhs, rhs, transpose_a=True).asnumpy())
    [12. 34.] [13. 24.]
    """

def elemwise_add(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs + rhs

    lhs, rhs (one shape) | out (the same)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.elemwise_add(nd.array([1, 2, 3]), nd.array([10, 10, 10])).asnumpy()
    array([11., 12., 13.], dtype=float32)
    """

def elemwise_div(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs / rhs

    lhs, rhs (one shape) | out (the same)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.elemwise_div(nd.array([1, 2, 3]), nd.array([4, 4, 4])).asnumpy().round(2)
    array([0.25, 0.5 , 0.75], dtype=float32)
    """

def elemwise_mul(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs · rhs

    lhs, rhs (one shape) | out (the same)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.elemwise_mul(nd.array([1, 2, 3]), nd.array([10, 10, 10])).asnumpy()
    array([10., 20., 30.], dtype=float32)
    """

def elemwise_sub(lhs: Symbol, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs - rhs

    lhs, rhs (one shape) | out (the same)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.elemwise_sub(nd.array([1, 2, 3]), nd.array([10, 10, 10])).asnumpy()
    array([-9., -8., -7.], dtype=float32)
    """

def erf(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the error function

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.erf(nd.array([0, 1])).asnumpy().round(2)
    array([0.  , 0.84], dtype=float32)
    """

def erfinv(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the inverse of the error function

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.erfinv(nd.array([0, 0.5])).asnumpy().round(2)
    array([0.  , 0.48], dtype=float32)
    """

def exp(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """eˣ

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.exp(nd.array([0, 1])).asnumpy().round(2)
    array([1.  , 2.72], dtype=float32)
    """

def expand_dims(data: Symbol, axis: int, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """A new axis of length 1.

    data (*lead, *rest) | out (*lead, 1, *rest)

    axis: its position in the result; -1 is the end.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.expand_dims(nd.array([1, 2]), axis=1).asnumpy()
    array([[1.],
           [2.]], dtype=float32)
    """

def expm1(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """eˣ - 1, accurate near 0

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.expm1(nd.array([0, 1])).asnumpy().round(2)
    array([0.  , 1.72], dtype=float32)
    """

def fill_element_0index(lhs: Symbol, mhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lhs with element rhs[i] of each row i replaced with mhs[i].

    lhs (N, M) | mhs, rhs (N,) | out (N, M)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.fill_element_0index(nd.zeros((2, 2)), nd.array([5, 6]), nd.array([0, 1])).asnumpy()
    array([[5., 0.],
           [0., 6.]], dtype=float32)
    """

def fix(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the nearest integer towards 0

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.fix(nd.array([1.8, -1.8])).asnumpy()
    array([ 1., -1.], dtype=float32)
    """

def flatten(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Joins all axes except the first into one.

    data (N, *rest) | out (N, product of rest)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.flatten(nd.array([[[1, 2], [3, 4]]])).asnumpy()
    array([[1., 2., 3., 4.]], dtype=float32)
    """

def flip(data: Symbol, axis: Shape, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The elements in reverse order along each axis in `axis`.

    data (any shape) | out like data

    axis: one axis or several; negative numbers count from the end.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.flip(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy()
    array([[3., 2., 1.],
           [6., 5., 4.]], dtype=float32)
    """

def floor(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the largest integer not above x

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.floor(nd.array([1.2, -1.2])).asnumpy()
    array([ 1., -2.], dtype=float32)
    """

def ftml_update(weight: Symbol, grad: Symbol | None = None, d: Symbol | None = None, v: Symbol | None = None, z: Symbol | None = None, *, lr: Number, beta1: Number = 0.6, beta2: Number = 0.999, epsilon: Number = 1e-08, t: int, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_grad: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Step t of Follow the Moving Leader, with epsilon and the decay as in Adam.

    h = clip(rescale_grad · grad + wd · weight); v is the running mean of h²;
    d' = (1 - beta1ᵗ) / lr · (√(v / (1 - beta2ᵗ)) + epsilon);
    z = beta1 · z + (1 - beta1) · h - (d' - beta1 · d) · weight; the new weight is -z / d'.

    weight, grad, d, v, z (any shape) | out like weight; d, v and z are overwritten

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    beta1: the decay rate of the running mean of the gradient.
    beta2: the decay rate of the running mean of the squared gradient.
    epsilon: added to the denominator to avoid division by 0.
    t: the index of the step, counted from 1.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_grad: the rescaled gradient is clipped to [-clip_grad, clip_grad]; no clipping if negative.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError for lr=0, t below 1, and a beta1 or beta2 outside [0, 1).
    Source: Zheng and Kwok 2017, Follow the moving leader in deep learning.

    >>> weight, d, v, z = nd.zeros(1), nd.zeros(1), nd.zeros(1), nd.zeros(1)
    >>> weight = nd.ftml_update(weight, nd.array([4]), d, v, z, lr=1, beta1=0.5, beta2=0.75, epsilon=0, t=1)
    >>> print(v.asnumpy(), d.asnumpy(), z.asnumpy(), weight.asnumpy())
    [4.] [2.] [2.] [-1.]
    """

def ftrl_update(weight: Symbol, grad: Symbol | None = None, z: Symbol | None = None, n: Symbol | None = None, *, lr: Number, lamda1: Number = 0.01, beta: Number = 1.0, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """z += g - (√(n + g²) - √n) · weight / lr; n += g²; the new weight is 0 where |z| <= lamda1, otherwise
    (sign(z) · lamda1 - z) / ((beta + √n) / lr + wd). g = clip(rescale_grad · grad).

    weight, grad, z, n (any shape) | out like weight; z and n are overwritten

    lamda1: the strength of the L1 penalty, which keeps weights at 0.
    beta: larger values make the first steps smaller.
    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: McMahan et al. 2013, Ad click prediction: a view from the trenches.

    >>> weight, z, n = nd.zeros(2), nd.zeros(2), nd.zeros(2)
    >>> weight = nd.ftrl_update(weight, nd.array([3, 0.5]), z, n, lr=1, lamda1=1, beta=1)
    >>> print(z.asnumpy(), n.asnumpy(), weight.asnumpy())
    [3.  0.5] [9.   0.25] [-0.5  0. ]
    """

def gamma(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the gamma function Γ(x)

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.gamma(nd.array([0.5, 1, 5])).asnumpy().round(2)
    array([ 1.77,  1.  , 24.  ], dtype=float32)
    """

def gammaln(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """log |Γ(x)|

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.gammaln(nd.array([1, 2, 5])).asnumpy().round(2)
    array([0.  , 0.  , 3.18], dtype=float32)
    """

def gather_nd(data: Symbol, indices: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data[indices[0], indices[1], ...], where each row of indices indexes one axis of data.

    data (d1 … dN) | indices (M, *B), M <= N | out (*B, d(M+1) … dN). Gradients at repeated indices are added.

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises OutOfRangeError for an index out of range; negative indices count from the end.

    >>> nd.gather_nd(nd.array([[1, 2], [3, 4]]), nd.array([[0, 1, 1], [1, 0, 1]])).asnumpy()
    array([2., 3., 4.], dtype=float32)
    """

def hard_sigmoid(data: Symbol, alpha: Number = 0.2, beta: Number = 0.5, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """max(0, min(1, alpha · data + beta)), elementwise. The gradient is 0 at both bounds.

    data (any shape) | out like data

    alpha: the slope.
    beta: the value for data = 0.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.hard_sigmoid(nd.array([-5, 0, 1, 5])).asnumpy().round(2)
    array([0. , 0.5, 0.7, 1. ], dtype=float32)
    """

def identity(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """a copy

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.identity(nd.array([1, 2])).asnumpy()
    array([1., 2.], dtype=float32)
    """

def im2col(data: Symbol, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Every window of a convolution as a column, so that the convolution becomes a matrix product.

    data (N, C, *size) | out (N, C · elements of kernel, windows)

    kernel: the size of a window along each spatial axis.
    stride: the step from one window to the next along each axis; 1 by default.
    dilate: the step from one element of a window to the next along each axis; 1 by default.
    pad: the number of zeros added on both sides of each spatial axis; 0 by default.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> print(nd.im2col(nd.array([[[1, 2, 3]]]), kernel=2).asnumpy())
    [[[1. 2.]
      [2. 3.]]]
    """

def khatri_rao(*args: Symbol, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """A matrix whose columns are the Kronecker products of the inputs' corresponding columns.

    args (n_0, k), (n_1, k), ... | out (n_0 · n_1 · ..., k)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.khatri_rao(nd.array([[1, 2], [3, 4]]), nd.array([[1, 10]])).asnumpy()
    array([[ 1., 20.],
           [ 3., 40.]], dtype=float32)
    """

def lamb_update_phase1(weight: Symbol, grad: Symbol | None = None, mean: Symbol | None = None, var: Symbol | None = None, *, beta1: Number = 0.9, beta2: Number = 0.999, epsilon: Number = 1e-06, t: int, bias_correction: bool = True, wd: Number, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The direction mean / (√var + epsilon) + wd · weight of Adam with decoupled decay, before the layer's scaling.

    weight, grad, mean, var (any shape) | out like weight: the direction; mean and var are overwritten

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    beta1: the decay rate of the running mean of the gradient.
    beta2: the decay rate of the running mean of the squared gradient.
    epsilon: added to the denominator to avoid division by 0.
    t: the index of the step, counted from 1.
    bias_correction: if True, divide the running means by 1 - betaᵗ, because they start at 0.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: You et al. 2019, Large batch optimization for deep learning, arXiv:1904.00962.

    >>> weight, mean, var = nd.array([3]), nd.zeros(1), nd.zeros(1)
    >>> print(nd.lamb_update_phase1(weight, nd.array([4]), mean, var, t=1, wd=2, epsilon=0).asnumpy().round(3))
    [7.]
    """

def lamb_update_phase2(weight: Symbol, g: Symbol | None = None, r1: Symbol | None = None, r2: Symbol | None = None, *, lr: Number, lower_bound: Number = -1.0, upper_bound: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """weight - lr · r1 / r2 · g, where r1 is clipped to the bounds and the ratio is 1 if a norm is 0.

    weight, g (any shape): g is the direction of `lamb_update_phase1` | r1, r2 (1,): the norms of weight and g
    out like weight

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    lower_bound: the lower bound of r1; no bound if negative.
    upper_bound: the upper bound of r1; no bound if negative.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: You et al. 2019, Large batch optimization for deep learning, arXiv:1904.00962.

    >>> weight, g = nd.array([3, 4]), nd.array([0, 2])
    >>> print(nd.lamb_update_phase2(weight, g, weight.norm(), g.norm(), lr=0.5).asnumpy())
    [3.  1.5]
    """

def linalg_det(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The determinant of each matrix.

    A (*batch, n, n) | out (*batch,), (1,) for a single matrix

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.linalg.det(nd.array([[3, 1], [0, 2]])).asnumpy().round(2)
    array([6.], dtype=float32)
    """

def linalg_extractdiag(A: Symbol, offset: int = 0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """A diagonal of square matrices.

    A (*batch, n, n) | out (*batch, n - |offset|)

    offset: 0 is the main diagonal, 1 the one above it, -1 the one below.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.linalg.extractdiag(nd.array([[1, 2], [3, 4]])).asnumpy()
    array([1., 4.], dtype=float32)
    """

def linalg_extracttrian(A: Symbol, offset: int = 0, lower: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """A triangle of square matrices as vectors: lower triangles row by row, upper triangles column by column.

    A (*batch, n, n) | out (*batch, k · (k + 1) / 2) with k = n - |offset|

    offset: the diagonal that bounds the triangle; 1, 2, ... select it and everything above, -1, -2, ... it and
        everything below.
    lower: if offset is 0, True selects the lower triangle, False the upper one.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.linalg.extracttrian(nd.array([[1, 2], [3, 4]])).asnumpy()
    array([1., 3., 4.], dtype=float32)
    """

def linalg_gelqf(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """A = L · Q, with L lower triangular and the rows of Q orthonormal.

    A (*batch, m, n) with m <= n | outputs: Q (*batch, m, n), L (*batch, m, m)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> A = nd.array([[3, 4]])
    >>> Q, L = nd.linalg.gelqf(A)
    >>> nd.dot(L, Q).asnumpy().round(2), nd.dot(Q, Q, transpose_b=True).asnumpy().round(2)
    (array([[3., 4.]], dtype=float32), array([[1.]], dtype=float32))
    """

def linalg_gemm(A: Symbol, B: Symbol | None = None, C: Symbol | None = None, *, transpose_a: bool = False, transpose_b: bool = False, alpha: Number = 1.0, beta: Number = 1.0, axis: int = -2, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """alpha · op(A) · op(B) + beta · C.

    A (*batch, m, k) | B (*batch, k, n) | C (*batch, m, n) | out like C

    transpose_a, transpose_b: if True, transpose the first or the second factor; op(A) is A or Aᵀ.
    alpha: the factor of the product.
    beta: the factor of C.
    axis: the axis of the rows; the columns are the last axis.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.linalg.gemm(nd.array([[1, 2]]), nd.array([[3], [4]]), nd.array([[5]]), beta=10).asnumpy()
    array([[61.]], dtype=float32)
    """

def linalg_gemm2(A: Symbol, B: Symbol | None = None, *, transpose_a: bool = False, transpose_b: bool = False, alpha: Number = 1.0, axis: int = -2, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """alpha · op(A) · op(B).

    A (*batch, m, k) | B (*batch, k, n) | out (*batch, m, n)

    transpose_a, transpose_b: if True, transpose the first or the second factor; op(A) is A or Aᵀ.
    alpha: the factor of the product.
    axis: the axis of the rows; the columns are the last axis.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.linalg.gemm2(nd.array([[1, 2]]), nd.array([[3, 4]]), transpose_b=True, alpha=10).asnumpy()
    array([[110.]], dtype=float32)
    """

def linalg_inverse(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """A⁻¹, the inverse of each matrix.

    A (*batch, n, n) | out like A

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError for a singular matrix.

    >>> nd.linalg.inverse(nd.array([[1, 1], [1, 2]])).asnumpy().round(2)
    array([[ 2., -1.],
           [-1.,  1.]], dtype=float32)
    """

def linalg_makediag(A: Symbol, offset: int = 0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Square matrices with A on a diagonal and zeros elsewhere.

    A (*batch, n) | out (*batch, n + |offset|, n + |offset|)

    offset: 0 is the main diagonal, 1 the one above it, -1 the one below.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.linalg.makediag(nd.array([1, 4])).asnumpy()
    array([[1., 0.],
           [0., 4.]], dtype=float32)
    """

def linalg_maketrian(A: Symbol, offset: int = 0, lower: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Square matrices with the vectors of A in a triangle, in extracttrian's order, and zeros elsewhere.

    A (*batch, k · (k + 1) / 2) | out (*batch, n, n) with n = k + |offset|

    offset: the diagonal that bounds the triangle; 1, 2, ... select it and everything above, -1, -2, ... it and
        everything below.
    lower: if offset is 0, True selects the lower triangle, False the upper one.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.linalg.maketrian(nd.array([1, 3, 4])).asnumpy()
    array([[1., 0.],
           [3., 4.]], dtype=float32)
    """

def linalg_potrf(A: Symbol, lower: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The Cholesky factor: the lower triangular L with A = L · Lᵀ, for a symmetric positive definite A.

    A (*batch, n, n), only one triangle of which is read | out like A

    lower: False for the upper triangular U = Lᵀ with A = Uᵀ · U, computed from the upper triangle of A.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError for a matrix that is not positive definite.

    >>> nd.linalg.potrf(nd.array([[4, 2], [2, 5]])).asnumpy()
    array([[2., 0.],
           [1., 2.]], dtype=float32)
    """

def linalg_potri(A: Symbol, lower: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """(L · Lᵀ)⁻¹ for the lower triangular A = L from potrf.

    A (*batch, n, n) | out like A

    lower: False for an upper triangular A = U: (Uᵀ · U)⁻¹.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.linalg.potri(nd.array([[1, 0], [1, 1]])).asnumpy().round(2)
    array([[ 2., -1.],
           [-1.,  1.]], dtype=float32)
    """

def linalg_slogdet(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The determinant's sign, and the logarithm of its absolute value.

    A (*batch, n, n) | two arrays (*batch,), (1,) for a single matrix

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> sign, log = nd.linalg.slogdet(nd.array([[0, 1], [1, 0]]))
    >>> sign.asnumpy(), log.asnumpy()
    (array([-1.], dtype=float32), array([0.], dtype=float32))
    """

def linalg_sumlogdiag(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The sum of the logarithms of the diagonal; for a factor from potrf, half the logarithm of the determinant.

    A (*batch, n, n) | out (*batch,), (1,) for a single matrix

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.linalg.sumlogdiag(nd.array([[1, 5], [5, 10]])).asnumpy().round(2)
    array([2.3], dtype=float32)
    """

def linalg_syevd(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Eigenvectors as rows of U and eigenvalues L in ascending order: A = Uᵀ · diag(L) · U, for a symmetric A.

    A (*batch, n, n) | outputs: U (*batch, n, n), L (*batch, n)

    The entry of largest magnitude in each eigenvector is positive. Gradients require distinct eigenvalues.

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> U, L = nd.linalg.syevd(nd.array([[2, 1], [1, 2]]))
    >>> L.asnumpy().round(2)
    array([1., 3.], dtype=float32)
    """

def linalg_syrk(A: Symbol, transpose: bool = False, alpha: Number = 1.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """alpha · A · Aᵀ.

    A (*batch, m, n) | out (*batch, m, m)

    transpose: True for alpha · Aᵀ · A, (*batch, n, n).
    alpha: the factor of the product.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.linalg.syrk(nd.array([[1, 2], [3, 4]])).asnumpy()
    array([[ 5., 11.],
           [11., 25.]], dtype=float32)
    """

def linalg_trmm(A: Symbol, B: Symbol | None = None, *, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: Number = 1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """alpha · op(A) · B, or alpha · B · op(A) with rightside=True, for a triangular A.

    A (*batch, n, n) | B (*batch, n, m), with rightside=True (*batch, m, n) | out like B

    transpose: if True, use Aᵀ for op(A); if False, use A.
    rightside: if True, put op(A) on the right.
    lower: if True, use the lower triangle of A, otherwise the upper one.
    alpha: the factor of B.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.linalg.trmm(nd.array([[1, 0], [2, 3]]), nd.array([[1], [10]])).asnumpy()
    array([[ 1.],
           [32.]], dtype=float32)
    """

def linalg_trsm(A: Symbol, B: Symbol | None = None, *, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: Number = 1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The solution X of op(A) · X = alpha · B, or of X · op(A) = alpha · B with rightside=True, for a triangular A.

    A (*batch, n, n) | B (*batch, n, m), with rightside=True (*batch, m, n) | out like B

    transpose: if True, use Aᵀ for op(A); if False, use A.
    rightside: if True, put op(A) on the right.
    lower: if True, use the lower triangle of A, otherwise the upper one.
    alpha: the factor of B.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError for a zero on the diagonal of A.

    >>> nd.linalg.trsm(nd.array([[1, 0], [2, 4]]), nd.array([[1], [10]])).asnumpy()
    array([[1.],
           [2.]], dtype=float32)
    """

def log(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """natural logarithm

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.log(nd.array([1, 10])).asnumpy().round(2)
    array([0. , 2.3], dtype=float32)
    """

def log10(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """logarithm to base 10

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.log10(nd.array([1, 20, 1000])).asnumpy().round(2)
    array([0. , 1.3, 3. ], dtype=float32)
    """

def log1p(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """log(1 + x), accurate near 0

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.log1p(nd.array([0, 1])).asnumpy().round(2)
    array([0.  , 0.69], dtype=float32)
    """

def log2(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """logarithm to base 2

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.log2(nd.array([1, 8, 10])).asnumpy().round(2)
    array([0.  , 3.  , 3.32], dtype=float32)
    """

def log_softmax(data: Symbol, axis: int = -1, temperature: Number | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The logarithm of `softmax`, accurate where softmax is close to 0.

    data (any shape) | out like data. Only `softmax` takes a length.

    axis: the axis along which the probabilities sum to 1.
    temperature: the divisor of data; values above 1 make the result more uniform. None means 1.
    dtype: the dtype of out; None for the dtype of data. The computation uses at least float32.
    use_length: if True, use only the first `length` elements along axis; the others are 0 in out.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> print(nd.log_softmax(nd.array([[0, 1000]])).asnumpy())
    [[-1000.     0.]]
    """

def logical_not(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 where x is 0, else 0

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.logical_not(nd.array([0, 1, 5])).asnumpy()
    array([1., 0., 0.], dtype=float32)
    """

def make_loss(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """x, the end of a graph: its gradient is 1, whatever head gradient comes in

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.make_loss(nd.array([1, 2])).asnumpy()
    array([1., 2.], dtype=float32)
    """

def max(data: Symbol, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Largest element over axes. The gradient goes to every element that equals it.

    data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    keepdims: True leaves the reduced axes in the result, with length 1.
    exclude: if True, reduce all axes except `axis`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.max(nd.array([[1, 2], [4, 3]]), axis=1).asnumpy()
    array([2., 4.], dtype=float32)
    """

def max_axis(data: Symbol, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Largest element over axes. The gradient goes to every element that equals it.

    data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    keepdims: True leaves the reduced axes in the result, with length 1.
    exclude: if True, reduce all axes except `axis`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.max(nd.array([[1, 2], [4, 3]]), axis=1).asnumpy()
    array([2., 4.], dtype=float32)
    """

def mean(data: Symbol, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Mean over axes.

    data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    keepdims: True leaves the reduced axes in the result, with length 1.
    exclude: if True, reduce all axes except `axis`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.mean(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy().round(2)
    array([1.5, 3.5], dtype=float32)
    """

def min(data: Symbol, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Smallest element over axes. The gradient goes to every element that equals it.

    data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    keepdims: True leaves the reduced axes in the result, with length 1.
    exclude: if True, reduce all axes except `axis`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.min(nd.array([[1, 2], [4, 3]]), axis=1).asnumpy()
    array([1., 3.], dtype=float32)
    """

def min_axis(data: Symbol, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Smallest element over axes. The gradient goes to every element that equals it.

    data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    keepdims: True leaves the reduced axes in the result, with length 1.
    exclude: if True, reduce all axes except `axis`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.min(nd.array([[1, 2], [4, 3]]), axis=1).asnumpy()
    array([1., 3.], dtype=float32)
    """

def moments(data: Symbol, axes: Shape | None = None, keepdims: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The mean and the variance, which is the mean of the squared distances from the mean.

    data (any shape) | two arrays: data's shape without the reduced axes, (1,) if none is left

    axes: the axes to reduce; None or () for all.
    keepdims: True leaves the reduced axes in the result, with length 1.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> mean, var = nd.moments(nd.array([1, 2, 3, 6]), axes=0)
    >>> mean.asnumpy(), var.asnumpy()
    (array([3.], dtype=float32), array([3.5], dtype=float32))
    """

def mp_lamb_update_phase1(weight: Symbol, grad: Symbol | None = None, mean: Symbol | None = None, var: Symbol | None = None, weight32: Symbol | None = None, *, beta1: Number = 0.9, beta2: Number = 0.999, epsilon: Number = 1e-06, t: int, bias_correction: bool = True, wd: Number, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`lamb_update_phase1` in mixed precision; the direction is float32.

    weight, grad (any shape), float16 | mean, var, weight32 like weight, float32 | out like weight32

    weight32: the float32 copy of weight; it is not overwritten.
    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    beta1: the decay rate of the running mean of the gradient.
    beta2: the decay rate of the running mean of the squared gradient.
    epsilon: added to the denominator to avoid division by 0.
    t: the index of the step, counted from 1.
    bias_correction: if True, divide the running means by 1 - betaᵗ, because they start at 0.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> weight32, mean, var = nd.array([3]), nd.zeros(1), nd.zeros(1)
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> print(nd.mp_lamb_update_phase1(weight, grad, mean, var, weight32, t=1, wd=2, epsilon=0).asnumpy().round(3))
    [7.]
    """

def mp_lamb_update_phase2(weight: Symbol, g: Symbol | None = None, r1: Symbol | None = None, r2: Symbol | None = None, weight32: Symbol | None = None, *, lr: Number, lower_bound: Number = -1.0, upper_bound: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`lamb_update_phase2` in mixed precision.

    weight (any shape), float16 | g, weight32 like weight, float32 | r1, r2 (1,), float32 | out like weight

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    weight32: the float32 copy of weight, which the step updates in place.
    lr: the learning rate.
    lower_bound: the lower bound of r1; no bound if negative.
    upper_bound: the upper bound of r1; no bound if negative.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> weight32, g, r = nd.array([3, 4]), nd.array([0, 2]), nd.array([1])
    >>> weight = weight32.astype("float16")
    >>> weight = nd.mp_lamb_update_phase2(weight, g, r, r, weight32, lr=0.5)
    >>> print(weight.asnumpy(), weight32.asnumpy())
    [3. 3.] [3. 3.]
    """

def mp_nag_mom_update(weight: Symbol, grad: Symbol | None = None, mom: Symbol | None = None, weight32: Symbol | None = None, *, lr: Number, momentum: Number = 0.0, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`nag_mom_update` in mixed precision.

    weight, grad (any shape), float16 | mom, weight32 like weight, float32 | out like weight; mom is overwritten

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    weight32: the float32 copy of weight, which the step updates in place.
    lr: the learning rate.
    momentum: the fraction of the last step that is repeated.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> weight32, mom = nd.array([1]), nd.array([2])
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> weight = nd.mp_nag_mom_update(weight, grad, mom, weight32, lr=0.5, momentum=0.5)
    >>> print(mom.asnumpy(), weight.asnumpy(), weight32.asnumpy())
    [-1.] [-1.5] [-1.5]
    """

def mp_sgd_mom_update(weight: Symbol, grad: Symbol | None = None, mom: Symbol | None = None, weight32: Symbol | None = None, *, lr: Number, momentum: Number = 0.0, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, lazy_update: bool = True, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`sgd_mom_update` in mixed precision.

    weight, grad (any shape), float16 | mom, weight32 like weight, float32 | out like weight; mom is overwritten

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    weight32: the float32 copy of weight, which the step updates in place.
    lr: the learning rate.
    momentum: the fraction of the last step that is repeated.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    lazy_update: if True, update only the rows that a row_sparse gradient contains.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> weight32, mom = nd.array([1]), nd.array([2])
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> weight = nd.mp_sgd_mom_update(weight, grad, mom, weight32, lr=0.5, momentum=0.5)
    >>> print(mom.asnumpy(), weight.asnumpy(), weight32.asnumpy())
    [-1.] [0.] [0.]
    """

def mp_sgd_update(weight: Symbol, grad: Symbol | None = None, weight32: Symbol | None = None, *, lr: Number, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, lazy_update: bool = True, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`sgd_update` in mixed precision.

    weight, grad (any shape), float16 | weight32 like weight, float32 | out like weight

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    weight32: the float32 copy of weight, which the step updates in place.
    lr: the learning rate.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    lazy_update: if True, update only the rows that a row_sparse gradient contains.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> weight32 = nd.array([1])
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> weight = nd.mp_sgd_update(weight, grad, weight32, lr=0.5)
    >>> print(weight.asnumpy(), weight32.asnumpy())
    [-1.] [-1.]
    """

def multi_all_finite(*data: Symbol, num_arrays: int = 1, init_output: bool = True, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 if no element of any of the arrays is infinite or NaN, else 0, as float32.

    data (any shapes) | out (1,)

    num_arrays: the number of arrays; it has no effect.
    init_output: no effect; in MXNet, False combines the result with the value already in `out=`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.multi_all_finite(nd.array([1, 2]), nd.array([3]), num_arrays=2).asnumpy()
    array([1.], dtype=float32)
    """

def multi_lars(lrs: Symbol, weights_sum_sq: Symbol | None = None, grads_sum_sq: Symbol | None = None, wds: Symbol | None = None, *, eta: Number, eps: Number, rescale_grad: Number = 1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """lrs · eta · |w| / (|g| + wds · |w| + eps) from sums of squares; lrs if a norm is 0. |g| is rescaled.

    lrs, weights_sum_sq, grads_sum_sq, wds (number of weights,) | out like lrs

    eta: the trust coefficient, a factor of the learning rates.
    eps: added to the denominator to avoid division by 0.
    rescale_grad: the factor of the gradients, applied first.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: You, Gitman and Ginsburg 2017, Large batch training of convolutional networks, arXiv:1708.03888.

    >>> lrs, wds = nd.array([1, 1]), nd.zeros(2)
    >>> print(nd.multi_lars(lrs, nd.array([36, 0]), nd.array([4, 4]), wds, eta=0.5, eps=0).asnumpy())
    [1.5 1. ]
    """

def multi_mp_sgd_mom_update(*data: Symbol, lrs: Number | Sequence[float], wds: Number | Sequence[float], momentum: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, num_weights: int = 1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`mp_sgd_mom_update` of several weights.

    data: (weight, grad, mom, weight32) for each weight | out: the new weights; the states are overwritten
    lrs: the learning rate of each weight.
    wds: the decay of each weight.
    momentum: the fraction of the last step that is repeated.
    rescale_grad: the factor of each gradient, applied first.
    clip_gradient: the rescaled gradients are clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    num_weights: the number of weights.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> one = [nd.array([1], dtype="float16"), nd.array([4], dtype="float16"), nd.array([2]), nd.array([1])]
    >>> two = [nd.array([2], dtype="float16"), nd.array([4], dtype="float16"), nd.array([2]), nd.array([2])]
    >>> new = nd.multi_mp_sgd_mom_update(*one, *two, lrs=(0.5, 0.25), wds=(0, 0), momentum=0.5, num_weights=2)
    >>> print(nd.concat(*new, dim=0).asnumpy())
    [0. 2.]
    """

def multi_mp_sgd_update(*data: Symbol, lrs: Number | Sequence[float], wds: Number | Sequence[float], rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, num_weights: int = 1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`mp_sgd_update` of several weights.

    data: (weight, grad, weight32) for each weight | out: the new weights; the states are overwritten
    lrs: the learning rate of each weight.
    wds: the decay of each weight.
    rescale_grad: the factor of each gradient, applied first.
    clip_gradient: the rescaled gradients are clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    num_weights: the number of weights.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> one = [nd.array([1], dtype="float16"), nd.array([4], dtype="float16"), nd.array([1])]
    >>> two = [nd.array([2], dtype="float16"), nd.array([4], dtype="float16"), nd.array([2])]
    >>> new = nd.multi_mp_sgd_update(*one, *two, lrs=(0.5, 0.25), wds=(0, 0), num_weights=2)
    >>> print(nd.concat(*new, dim=0).asnumpy())
    [-1.  1.]
    """

def multi_sgd_mom_update(*data: Symbol, lrs: Number | Sequence[float], wds: Number | Sequence[float], momentum: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, num_weights: int = 1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`sgd_mom_update` of several weights.

    data: (weight, grad, mom) for each weight | out: the new weights; the states are overwritten
    lrs: the learning rate of each weight.
    wds: the decay of each weight.
    momentum: the fraction of the last step that is repeated.
    rescale_grad: the factor of each gradient, applied first.
    clip_gradient: the rescaled gradients are clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    num_weights: the number of weights.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> one = [nd.array([1]), nd.array([4]), nd.array([2])]
    >>> two = [nd.array([2]), nd.array([4]), nd.array([2])]
    >>> new = nd.multi_sgd_mom_update(*one, *two, lrs=(0.5, 0.25), wds=(0, 0), momentum=0.5, num_weights=2)
    >>> print(nd.concat(*new, dim=0).asnumpy())
    [0. 2.]
    """

def multi_sgd_update(*data: Symbol, lrs: Number | Sequence[float], wds: Number | Sequence[float], rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, num_weights: int = 1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`sgd_update` of several weights.

    data: (weight, grad) for each weight | out: the new weights; the states are overwritten
    lrs: the learning rate of each weight.
    wds: the decay of each weight.
    rescale_grad: the factor of each gradient, applied first.
    clip_gradient: the rescaled gradients are clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    num_weights: the number of weights.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> one = [nd.array([1]), nd.array([4])]
    >>> two = [nd.array([2]), nd.array([4])]
    >>> new = nd.multi_sgd_update(*one, *two, lrs=(0.5, 0.25), wds=(0, 0), num_weights=2)
    >>> print(nd.concat(*new, dim=0).asnumpy())
    [-1.  1.]
    """

def multi_sum_sq(*data: Symbol, num_arrays: int, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The sum of squares of each array, Σ x², as one float32 vector.

    data (any shapes) | out (num_arrays,)

    num_arrays: the number of arrays.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> print(nd.multi_sum_sq(nd.array([3, 4]), nd.ones((2, 3)), num_arrays=2).asnumpy())
    [25.  6.]
    """

def nag_mom_update(weight: Symbol, grad: Symbol | None = None, mom: Symbol | None = None, *, lr: Number, momentum: Number = 0.0, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """d = g + wd · weight; mom = momentum · mom - lr · d; weight + momentum · mom - lr · d: Nesterov's momentum.

    weight, grad, mom (any shape) | out like weight; mom is overwritten. g = clip(rescale_grad · grad)

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    momentum: the fraction of the last step that is repeated.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Sutskever, Martens, Dahl and Hinton 2013, On the importance of initialization and momentum.

    >>> weight, mom = nd.array([1]), nd.array([2])
    >>> weight = nd.nag_mom_update(weight, nd.array([4]), mom, lr=0.5, momentum=0.5)
    >>> print(mom.asnumpy(), weight.asnumpy())
    [-1.] [-1.5]
    """

def nanprod(data: Symbol, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Product over axes, NaN taken as 1.

    data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    keepdims: True leaves the reduced axes in the result, with length 1.
    exclude: if True, reduce all axes except `axis`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.nanprod(nd.array([[1, 2], [3, np.nan]]), axis=1).asnumpy()
    array([2., 3.], dtype=float32)
    """

def nansum(data: Symbol, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Sum over axes, NaN taken as 0.

    data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    keepdims: True leaves the reduced axes in the result, with length 1.
    exclude: if True, reduce all axes except `axis`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.nansum(nd.array([[1, 2], [3, np.nan]]), axis=1).asnumpy()
    array([3., 3.], dtype=float32)
    """

def negative(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """-x

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.negative(nd.array([1, -2])).asnumpy()
    array([-1.,  2.], dtype=float32)
    """

def norm(data: Symbol, ord: int = 2, axis: Shape | None = None, out_dtype: DType | None = None, keepdims: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """√(Σ data²) for ord=2, Σ |data| for ord=1. The gradient at a norm of 0 is 0.

    data (any shape) | out: data's shape without the reduced axes, (1,) if none is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    ord: 1 or 2, the norm to compute.
    out_dtype: the type of the result; None for the type of data.
    keepdims: True leaves the reduced axes in the result, with length 1.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.norm(nd.array([[3, 4], [6, 8]]), axis=1).asnumpy()
    array([ 5., 10.], dtype=float32)
    """

def normal(loc: Number = 0.0, scale: Number = 1.0, shape: Shape | None = None, ctx: str | Context = '', dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers: normal with mean loc and standard deviation scale.

    out (*shape)

    loc: the mean.
    scale: the standard deviation.
    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: the element type; None for float32.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: the standard deviation must not be negative.

    >>> nd.random_normal(loc=5, scale=2, shape=(10000,)).mean().asnumpy().round()
    array([5.], dtype=float32)
    """

def one_hot(indices: Symbol, depth: int, on_value: Number = 1.0, off_value: Number = 0.0, dtype: DType = 'float32', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """A new last axis of length `depth` that is on_value at the index and off_value elsewhere. No gradient.

    indices (any shape) | out (*indices' shape, depth); for an index out of range, off_value everywhere

    depth: the number of classes.
    on_value, off_value: the value at the index, and everywhere else.
    dtype: the element type of the result.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.one_hot(nd.array([1, 0]), depth=3).asnumpy()
    array([[0., 1., 0.],
           [1., 0., 0.]], dtype=float32)
    """

def ones_like(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """ones in the shape and dtype of x

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.ones_like(nd.array([3, 5])).asnumpy()
    array([1., 1.], dtype=float32)
    """

def pad(data: Symbol, mode: Literal['constant', 'edge', 'reflect'], pad_width: Shape, constant_value: Number = 0.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Adds elements around the array. Gradients of added constants are dropped; gradients of copies are added to those
    of the originals.

    data (d1 … dN) | out: each axis longer by its two values in pad_width

    mode: 'constant' adds `constant_value`, 'edge' repeats the outermost element, and 'reflect' mirrors the elements
        next to the outermost one.
    pad_width: how many elements to add before and after each axis, as one flat tuple.
    constant_value: the value that 'constant' adds.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.pad(nd.array([[1, 2, 3]]), mode="reflect", pad_width=(0, 0, 1, 2)).asnumpy()
    array([[2., 1., 2., 3., 2., 1.]], dtype=float32)
    """

def pick(data: Symbol, index: Symbol | None = None, *, axis: int | None = -1, keepdims: bool = False, mode: Literal['clip', 'wrap'] = 'clip', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The element at the given index along axis `axis`, for each position in the other axes.

    data (*lead, n, *rest) | index (*lead, *rest), or with the axis of length 1 | out like index

    keepdims: if True, leave the axis in the result, with length 1.
    axis: the axis of length n.
    mode: how an index out of range is handled: 'clip' uses the nearest valid index, 'wrap' takes it modulo n.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.pick(nd.array([[1, 2], [3, 4]]), nd.array([0, 1])).asnumpy()
    array([1., 4.], dtype=float32)
    """

def preloaded_multi_mp_sgd_mom_update(*data: Symbol, momentum: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, num_weights: int = 1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`multi_mp_sgd_mom_update` with lrs and wds as the last two arrays of data.

    data: (weight, grad, mom, weight32) for each weight | out: the new weights; the states are overwritten
    momentum: the fraction of the last step that is repeated.
    rescale_grad: the factor of each gradient, applied first.
    clip_gradient: the rescaled gradients are clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    num_weights: the number of weights.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> one = [nd.array([1], dtype="float16"), nd.array([4], dtype="float16"), nd.array([2]), nd.array([1])]
    >>> two = [nd.array([2], dtype="float16"), nd.array([4], dtype="float16"), nd.array([2]), nd.array([2])]
    >>> new = nd.preloaded_multi_mp_sgd_mom_update(*one, *two, nd.array([0.5, 0.25]), nd.zeros(2), momentum=0.5, num_weights=2)
    >>> print(nd.concat(*new, dim=0).asnumpy())
    [0. 2.]
    """

def preloaded_multi_mp_sgd_update(*data: Symbol, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, num_weights: int = 1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`multi_mp_sgd_update` with lrs and wds as the last two arrays of data.

    data: (weight, grad, weight32) for each weight | out: the new weights; the states are overwritten
    rescale_grad: the factor of each gradient, applied first.
    clip_gradient: the rescaled gradients are clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    num_weights: the number of weights.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> one = [nd.array([1], dtype="float16"), nd.array([4], dtype="float16"), nd.array([1])]
    >>> two = [nd.array([2], dtype="float16"), nd.array([4], dtype="float16"), nd.array([2])]
    >>> new = nd.preloaded_multi_mp_sgd_update(*one, *two, nd.array([0.5, 0.25]), nd.zeros(2), num_weights=2)
    >>> print(nd.concat(*new, dim=0).asnumpy())
    [-1.  1.]
    """

def preloaded_multi_sgd_mom_update(*data: Symbol, momentum: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, num_weights: int = 1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`multi_sgd_mom_update` with lrs and wds as the last two arrays of data.

    data: (weight, grad, mom) for each weight | out: the new weights; the states are overwritten
    momentum: the fraction of the last step that is repeated.
    rescale_grad: the factor of each gradient, applied first.
    clip_gradient: the rescaled gradients are clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    num_weights: the number of weights.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> one = [nd.array([1]), nd.array([4]), nd.array([2])]
    >>> two = [nd.array([2]), nd.array([4]), nd.array([2])]
    >>> new = nd.preloaded_multi_sgd_mom_update(*one, *two, nd.array([0.5, 0.25]), nd.zeros(2), momentum=0.5, num_weights=2)
    >>> print(nd.concat(*new, dim=0).asnumpy())
    [0. 2.]
    """

def preloaded_multi_sgd_update(*data: Symbol, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, num_weights: int = 1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """`multi_sgd_update` with lrs and wds as the last two arrays of data.

    data: (weight, grad) for each weight | out: the new weights; the states are overwritten
    rescale_grad: the factor of each gradient, applied first.
    clip_gradient: the rescaled gradients are clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    num_weights: the number of weights.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> one = [nd.array([1]), nd.array([4])]
    >>> two = [nd.array([2]), nd.array([4])]
    >>> new = nd.preloaded_multi_sgd_update(*one, *two, nd.array([0.5, 0.25]), nd.zeros(2), num_weights=2)
    >>> print(nd.concat(*new, dim=0).asnumpy())
    [-1.  1.]
    """

def prod(data: Symbol, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Product over axes.

    data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    keepdims: True leaves the reduced axes in the result, with length 1.
    exclude: if True, reduce all axes except `axis`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.prod(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
    array([ 2., 12.], dtype=float32)
    """

def radians(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """degrees to radians

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.radians(nd.array([0, 180])).asnumpy().round(2)
    array([0.  , 3.14], dtype=float32)
    """

def random_exponential(lam: Number = 1.0, shape: Shape | None = None, ctx: str | Context = '', dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers: exponential with rate lam, so that the mean is 1 / lam.

    out (*shape)

    lam: the rate.
    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: the element type; None for float32.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: lam must not be negative.

    >>> nd.random_exponential(lam=0.25, shape=(10000,)).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def random_exponential_like(data: Symbol, lam: Number = 1.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers in the shape and dtype of data: exponential with rate lam, so that the mean is 1 / lam.

    data (any shape; the elements are not used) | out like data

    lam: the rate.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: lam must not be negative.

    >>> nd.random.exponential_like(nd.zeros((100, 100)), lam=0.25).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def random_gamma(alpha: Number = 1.0, beta: Number = 1.0, shape: Shape | None = None, ctx: str | Context = '', dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers: gamma with shape alpha and scale beta; 0 if one of them is 0.

    out (*shape)

    alpha: the shape of the distribution.
    beta: its scale; the mean is alpha · beta.
    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: the element type; None for float32.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: beta must not be negative.

    >>> nd.random_gamma(alpha=4, beta=2, shape=(10000,)).mean().asnumpy().round()
    array([8.], dtype=float32)
    """

def random_gamma_like(data: Symbol, alpha: Number = 1.0, beta: Number = 1.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers in the shape and dtype of data: gamma with shape alpha and scale beta; 0 if one of them is 0.

    data (any shape; the elements are not used) | out like data

    alpha: the shape of the distribution.
    beta: its scale; the mean is alpha · beta.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: beta must not be negative.

    >>> nd.random.gamma_like(nd.zeros((100, 100)), alpha=4, beta=2).mean().asnumpy().round()
    array([8.], dtype=float32)
    """

def random_generalized_negative_binomial(mu: Number = 1.0, alpha: Number = 1.0, shape: Shape | None = None, ctx: str | Context = '', dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers: negative binomial with mean mu and variance mu + alpha · mu².

    out (*shape)

    mu: the mean.
    alpha: how much wider than Poisson's the distribution is; 0 is Poisson's.
    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: the element type; None for float32.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: mu must not be negative.

    >>> nd.random_generalized_negative_binomial(mu=4, alpha=0.5, shape=(10000,)).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def random_generalized_negative_binomial_like(data: Symbol, mu: Number = 1.0, alpha: Number = 1.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers in the shape and dtype of data: negative binomial with mean mu and variance mu + alpha · mu².

    data (any shape; the elements are not used) | out like data

    mu: the mean.
    alpha: how much wider than Poisson's the distribution is; 0 is Poisson's.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: mu must not be negative.

    >>> nd.random.generalized_negative_binomial_like(nd.zeros((100, 100)), mu=4, alpha=0.5).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def random_negative_binomial(k: int = 1, p: Number = 1.0, shape: Shape | None = None, ctx: str | Context = '', dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers: failures before k successes of probability p.

    out (*shape)

    k: the number of successes.
    p: the probability of one success.
    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: the element type; None for float32.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: p must be in (0, 1].

    >>> nd.random_negative_binomial(k=4, p=0.5, shape=(10000,)).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def random_negative_binomial_like(data: Symbol, k: int = 1, p: Number = 1.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers in the shape and dtype of data: failures before k successes of probability p.

    data (any shape; the elements are not used) | out like data

    k: the number of successes.
    p: the probability of one success.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: p must be in (0, 1].

    >>> nd.random.negative_binomial_like(nd.zeros((100, 100)), k=4, p=0.5).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def random_normal(loc: Number = 0.0, scale: Number = 1.0, shape: Shape | None = None, ctx: str | Context = '', dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers: normal with mean loc and standard deviation scale.

    out (*shape)

    loc: the mean.
    scale: the standard deviation.
    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: the element type; None for float32.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: the standard deviation must not be negative.

    >>> nd.random_normal(loc=5, scale=2, shape=(10000,)).mean().asnumpy().round()
    array([5.], dtype=float32)
    """

def random_normal_like(data: Symbol, loc: Number = 0.0, scale: Number = 1.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers in the shape and dtype of data: normal with mean loc and standard deviation scale.

    data (any shape; the elements are not used) | out like data

    loc: the mean.
    scale: the standard deviation.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: the standard deviation must not be negative.

    >>> nd.random.normal_like(nd.zeros((100, 100)), loc=5, scale=2).mean().asnumpy().round()
    array([5.], dtype=float32)
    """

def random_pdf_dirichlet(sample: Symbol, alpha: Symbol | None = None, *, is_log: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Dirichlet's density of vectors of k numbers.

    alpha (*S, k) | sample (*S, *T, k) | out (*S, *T)

    is_log: True for the logarithm of the density.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.random_pdf_dirichlet(nd.array([[0.5, 0.5]]), nd.array([2, 2])).asnumpy().round(2)
    array([1.5], dtype=float32)
    """

def random_pdf_exponential(sample: Symbol, lam: Symbol | None = None, *, is_log: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The exponential density with rate lam.

    lam (*S) | sample (*S, *T), *T draws for each of their elements | out like sample

    is_log: True for the logarithm of the density.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.random_pdf_exponential(nd.array([[0, 1]]), nd.array([2])).asnumpy().round(2)
    array([[2.  , 0.27]], dtype=float32)
    """

def random_pdf_gamma(sample: Symbol, alpha: Symbol | None = None, beta: Symbol | None = None, *, is_log: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The gamma density with shape alpha and rate beta (`random_gamma`'s beta is a scale).

    alpha, beta (*S) | sample (*S, *T), *T draws for each of their elements | out like sample

    is_log: True for the logarithm of the density.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.random_pdf_gamma(nd.array([[1, 2]]), nd.array([2]), nd.array([1])).asnumpy().round(2)
    array([[0.37, 0.27]], dtype=float32)
    """

def random_pdf_generalized_negative_binomial(sample: Symbol, mu: Symbol | None = None, alpha: Symbol | None = None, *, is_log: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The probability of each number under the negative binomial law with mean mu and variance mu + alpha · mu².

    mu, alpha (*S) | sample (*S, *T), *T draws for each of their elements | out like sample

    is_log: True for the logarithm of the density.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.random_pdf_generalized_negative_binomial(nd.array([[0, 1]]), nd.array([1]), nd.array([1])).asnumpy().round(2)
    array([[0.5 , 0.25]], dtype=float32)
    """

def random_pdf_negative_binomial(sample: Symbol, k: Symbol | None = None, p: Symbol | None = None, *, is_log: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The probability of this many failures before k successes of probability p.

    k, p (*S) | sample (*S, *T), *T draws for each of their elements | out like sample

    is_log: True for the logarithm of the density.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.random_pdf_negative_binomial(nd.array([[0, 1]]), nd.array([1]), nd.array([0.5])).asnumpy().round(2)
    array([[0.5 , 0.25]], dtype=float32)
    """

def random_pdf_normal(sample: Symbol, mu: Symbol | None = None, sigma: Symbol | None = None, *, is_log: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The normal density with mean mu and standard deviation sigma.

    mu, sigma (*S) | sample (*S, *T), *T draws for each of their elements | out like sample

    is_log: True for the logarithm of the density.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.random_pdf_normal(nd.array([[0, 1]]), nd.array([0]), nd.array([1])).asnumpy().round(2)
    array([[0.4 , 0.24]], dtype=float32)
    """

def random_pdf_poisson(sample: Symbol, lam: Symbol | None = None, *, is_log: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The probability of each number under Poisson's law with mean lam.

    lam (*S) | sample (*S, *T), *T draws for each of their elements | out like sample

    is_log: True for the logarithm of the density.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.random_pdf_poisson(nd.array([[0, 1, 2]]), nd.array([1])).asnumpy().round(2)
    array([[0.37, 0.37, 0.18]], dtype=float32)
    """

def random_pdf_uniform(sample: Symbol, low: Symbol | None = None, high: Symbol | None = None, *, is_log: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 / (high - low), even for samples outside the bounds.

    low, high (*S) | sample (*S, *T), *T draws for each of their elements | out like sample

    is_log: True for the logarithm of the density.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.random_pdf_uniform(nd.array([[0, 1]]), nd.array([0]), nd.array([4])).asnumpy().round(2)
    array([[0.25, 0.25]], dtype=float32)
    """

def random_poisson(lam: Number = 1.0, shape: Shape | None = None, ctx: str | Context = '', dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers: Poisson with mean lam.

    out (*shape)

    lam: the mean, and the variance.
    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: the element type; None for float32.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: lam must not be negative.

    >>> nd.random_poisson(lam=4, shape=(10000,)).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def random_poisson_like(data: Symbol, lam: Number = 1.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers in the shape and dtype of data: Poisson with mean lam.

    data (any shape; the elements are not used) | out like data

    lam: the mean, and the variance.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: lam must not be negative.

    >>> nd.random.poisson_like(nd.zeros((100, 100)), lam=4).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def random_randint(low: int, high: int, shape: Shape | None = None, ctx: str | Context = '', dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random integers in [low, high).

    out (*shape)

    low, high: the bounds; low is inclusive, high is exclusive.
    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: 'int32' or 'int64'; None for int32.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError if low is not below high.

    >>> sorted(set(nd.random_randint(low=3, high=5, shape=(100,)).asnumpy().tolist()))
    [3, 4]
    """

def random_uniform(low: Number = 0.0, high: Number = 1.0, shape: Shape | None = None, ctx: str | Context = '', dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers: uniform in [low, high).

    out (*shape)

    low: the lower bound, inclusive.
    high: the upper bound, exclusive.
    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: the element type; None for float32.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: low must not be above high.

    >>> nd.random_uniform(low=2, high=4, shape=(10000,)).mean().asnumpy().round()
    array([3.], dtype=float32)
    """

def random_uniform_like(data: Symbol, low: Number = 0.0, high: Number = 1.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers in the shape and dtype of data: uniform in [low, high).

    data (any shape; the elements are not used) | out like data

    low: the lower bound, inclusive.
    high: the upper bound, exclusive.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: low must not be above high.

    >>> nd.random.uniform_like(nd.zeros((100, 100)), low=2, high=4).mean().asnumpy().round()
    array([3.], dtype=float32)
    """

def ravel_multi_index(data: Symbol, shape: Shape | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The flat indices that correspond to positions in an array of shape `shape`. No gradient.

    data (N, *B), one row per axis | out (*B), or (1,) for a single position

    shape: the shape of the array, with N axes.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.ravel_multi_index(nd.array([[0, 1], [2, 0]]), shape=(2, 3)).asnumpy()
    array([2., 3.], dtype=float32)
    """

def rcbrt(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 / ∛x

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.rcbrt(nd.array([1, 8, 64])).asnumpy().round(2)
    array([1.  , 0.5 , 0.25], dtype=float32)
    """

def reciprocal(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 / x

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.reciprocal(nd.array([1, 2, 4])).asnumpy().round(2)
    array([1.  , 0.5 , 0.25], dtype=float32)
    """

def relu(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """max(x, 0); NaN stays NaN

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.relu(nd.array([-1, 0, 2])).asnumpy()
    array([0., 0., 2.], dtype=float32)
    """

def repeat(data: Symbol, repeats: int, axis: int | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Each element repeated `repeats` times in a row.

    data (any shape) | out: data's shape with that axis `repeats` times as long; (repeats · elements,) with axis=None

    repeats: how many times each element is repeated.
    axis: the axis to repeat along; None flattens first.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.repeat(nd.array([[1, 2]]), repeats=2, axis=1).asnumpy()
    array([[1., 1., 2., 2.]], dtype=float32)
    """

def reset_arrays(*data: Symbol, num_arrays: int, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Overwrites all arrays with zeros. There is no output.

    data (any shapes) | outputs: none

    num_arrays: the number of arrays.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> x, y = nd.ones(2), nd.ones(1)
    >>> _ = nd.reset_arrays(x, y, num_arrays=2)
    >>> print(x.asnumpy(), y.asnumpy())
    [0. 0.] [0.]
    """

def reshape(data: Symbol, shape: Shape = (), reverse: bool = False, target_shape: Shape = (), keep_highest: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The same elements in a different shape.

    data (any shape) | out: described by `shape`, with the same number of elements

    shape: the lengths of the result; 0 copies a dimension of data, -1 is computed from the others, -2 copies the
        remaining dimensions, -3 joins two dimensions, -4 splits one into the two numbers that follow (one of them may
        be -1).
    reverse: if True, read these codes from right to left, so that the two numbers of a split precede its -4.
    target_shape: an older form of `shape`, in which 0 stands for a length computed from the others.
    keep_highest: if True, keep data's first dimension and ignore the first item of `target_shape`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.reshape(nd.arange(6), shape=(2, -1)).asnumpy()
    array([[0., 1., 2.],
           [3., 4., 5.]], dtype=float32)
    >>> nd.reshape(nd.zeros((2, 3, 4)), shape=(-3, 0)).shape
    (6, 4)
    """

def reshape_like(lhs: Symbol, rhs: Symbol | None = None, *, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The elements of lhs with the shape of rhs. Optionally only some axes of lhs take the shape of some axes of rhs.

    lhs (any shape) | rhs (any shape; only the shape matters) | out like rhs, in these axes

    lhs_begin, lhs_end: the axes lhs_begin:lhs_end of lhs are replaced; all by default.
    rhs_begin, rhs_end: the axes rhs_begin:rhs_end of rhs replace them; all by default.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.reshape_like(nd.arange(4), nd.zeros((2, 2))).asnumpy()
    array([[0., 1.],
           [2., 3.]], dtype=float32)
    """

def reverse(data: Symbol, axis: Shape, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The elements in reverse order along each axis in `axis`.

    data (any shape) | out like data

    axis: one axis or several; negative numbers count from the end.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.flip(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy()
    array([[3., 2., 1.],
           [6., 5., 4.]], dtype=float32)
    """

def rint(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the nearest integer, the lower one at a tie

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.rint(nd.array([1.4, 1.5, 1.6])).asnumpy()
    array([1., 1., 2.], dtype=float32)
    """

def rmsprop_update(weight: Symbol, grad: Symbol | None = None, n: Symbol | None = None, *, lr: Number, gamma1: Number = 0.95, epsilon: Number = 1e-08, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, clip_weights: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """d = clip(rescale_grad · grad + wd · weight); n is the running mean of d²; weight - lr · d / √(n + epsilon).

    weight, grad, n (any shape) | out like weight; n is overwritten

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    gamma1: the decay rate of the running means.
    epsilon: added to the denominator to avoid division by 0.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    clip_weights: the new weight is clipped to [-clip_weights, clip_weights]; no clipping if not positive.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Tieleman and Hinton 2012, Neural networks for machine learning, lecture 6.5.

    >>> weight, n = nd.array([1]), nd.zeros(1)
    >>> weight = nd.rmsprop_update(weight, nd.array([4]), n, lr=0.5, gamma1=0.75, epsilon=0)
    >>> print(n.asnumpy(), weight.asnumpy())
    [4.] [0.]
    """

def rmspropalex_update(weight: Symbol, grad: Symbol | None = None, n: Symbol | None = None, g: Symbol | None = None, delta: Symbol | None = None, *, lr: Number, gamma1: Number = 0.95, gamma2: Number = 0.9, epsilon: Number = 1e-08, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, clip_weights: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """RMSProp with momentum, and with the variance instead of the mean square. g is the running mean of d, and
    delta = gamma2 · delta - lr · d / √(n - g² + epsilon); weight + delta. d and n as in `rmsprop_update`.

    weight, grad, n, g, delta (any shape) | out like weight; n, g and delta are overwritten

    gamma2: the fraction of the last step that is repeated.
    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    gamma1: the decay rate of the running means.
    epsilon: added to the denominator to avoid division by 0.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    clip_weights: the new weight is clipped to [-clip_weights, clip_weights]; no clipping if not positive.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Graves 2013, arXiv:1308.0850, equations 38 to 45.

    >>> weight, n, g, delta = nd.array([1]), nd.zeros(1), nd.zeros(1), nd.zeros(1)
    >>> weight = nd.rmspropalex_update(weight, nd.array([4]), n, g, delta, lr=1, gamma1=0.5, epsilon=0)
    >>> print(n.asnumpy(), g.asnumpy(), weight.asnumpy())
    [8.] [2.] [-1.]
    """

def round(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the nearest integer, away from 0 at a tie

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.round(nd.array([1.4, 1.5, -1.5])).asnumpy()
    array([ 1.,  2., -2.], dtype=float32)
    """

def rsqrt(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 / √x

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.rsqrt(nd.array([1, 4, 16])).asnumpy().round(2)
    array([1.  , 0.5 , 0.25], dtype=float32)
    """

def sample_exponential(lam: Symbol, shape: Shape = (), dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers, `shape` draws for each element of the parameters: exponential with rate lam, so that the mean is 1 / lam.

    lam (*S) | out (*S, *shape)

    lam: the rate.
    shape: the shape of the draws for one element; () for one draw.
    dtype: the element type; None for the type of the parameters, or float32 if these are integers.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: lam must not be negative.

    >>> nd.sample_exponential(nd.array([0.25]), shape=(10000,)).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def sample_gamma(alpha: Symbol, beta: Symbol | None = None, *, shape: Shape = (), dtype: DType | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers, `shape` draws for each element of the parameters: gamma with shape alpha and scale beta; 0 if one of them is 0.

    alpha, beta (*S), one shape | out (*S, *shape)

    alpha: the shape of the distribution.
    beta: its scale; the mean is alpha · beta.
    shape: the shape of the draws for one element; () for one draw.
    dtype: the element type; None for the type of the parameters, or float32 if these are integers.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: beta must not be negative.

    >>> nd.sample_gamma(nd.array([4]), nd.array([2]), shape=(10000,)).mean().asnumpy().round()
    array([8.], dtype=float32)
    """

def sample_generalized_negative_binomial(mu: Symbol, alpha: Symbol | None = None, *, shape: Shape = (), dtype: DType | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers, `shape` draws for each element of the parameters: negative binomial with mean mu and variance mu + alpha · mu².

    mu, alpha (*S), one shape | out (*S, *shape)

    mu: the mean.
    alpha: how much wider than Poisson's the distribution is; 0 is Poisson's.
    shape: the shape of the draws for one element; () for one draw.
    dtype: the element type; None for the type of the parameters, or float32 if these are integers.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: mu must not be negative.

    >>> nd.sample_generalized_negative_binomial(nd.array([4]), nd.array([0.5]), shape=(10000,)).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def sample_multinomial(data: Symbol, shape: Shape = (), get_prob: bool = False, dtype: DType = 'int32', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Class indices drawn with the probabilities along data's last axis.

    data (*lead, k) | out (*lead, *shape), or (1,) for a single draw from a vector

    shape: the shape of the draws from one vector; () for one draw.
    get_prob: if True, also return log data[out] in data's dtype; its gradient weights each drawn class with reward / p.
    dtype: the type of the class indices.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.sample_multinomial(nd.array([[0, 1, 0], [0, 0, 1]]), shape=2).asnumpy()
    array([[1, 1],
           [2, 2]], dtype=int32)
    """

def sample_negative_binomial(k: Symbol, p: Symbol | None = None, *, shape: Shape = (), dtype: DType | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers, `shape` draws for each element of the parameters: failures before k successes of probability p.

    k, p (*S), one shape | out (*S, *shape)

    k: the number of successes.
    p: the probability of one success.
    shape: the shape of the draws for one element; () for one draw.
    dtype: the element type; None for the type of the parameters, or float32 if these are integers.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: p must be in (0, 1].

    >>> nd.sample_negative_binomial(nd.array([4]), nd.array([0.5]), shape=(10000,)).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def sample_normal(mu: Symbol, sigma: Symbol | None = None, *, shape: Shape = (), dtype: DType | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers, `shape` draws for each element of the parameters: normal with mean mu and standard deviation sigma.

    mu, sigma (*S), one shape | out (*S, *shape)

    mu: the mean.
    sigma: the standard deviation.
    shape: the shape of the draws for one element; () for one draw.
    dtype: the element type; None for the type of the parameters, or float32 if these are integers.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: the standard deviation must not be negative.

    >>> nd.sample_normal(nd.array([5]), nd.array([2]), shape=(10000,)).mean().asnumpy().round()
    array([5.], dtype=float32)
    """

def sample_poisson(lam: Symbol, shape: Shape = (), dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers, `shape` draws for each element of the parameters: Poisson with mean lam.

    lam (*S) | out (*S, *shape)

    lam: the mean, and the variance.
    shape: the shape of the draws for one element; () for one draw.
    dtype: the element type; None for the type of the parameters, or float32 if these are integers.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: lam must not be negative.

    >>> nd.sample_poisson(nd.array([4]), shape=(10000,)).mean().asnumpy().round()
    array([4.], dtype=float32)
    """

def sample_uniform(low: Symbol, high: Symbol | None = None, *, shape: Shape = (), dtype: DType | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers, `shape` draws for each element of the parameters: uniform in [low, high).

    low, high (*S), one shape | out (*S, *shape)

    low: the lower bound, inclusive.
    high: the upper bound, exclusive.
    shape: the shape of the draws for one element; () for one draw.
    dtype: the element type; None for the type of the parameters, or float32 if these are integers.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: low must not be above high.

    >>> nd.sample_uniform(nd.array([2]), nd.array([4]), shape=(10000,)).mean().asnumpy().round()
    array([3.], dtype=float32)
    """

def scatter_nd(data: Symbol, indices: Symbol | None = None, *, shape: Shape, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Zeros of shape `shape` with data at the positions that gather_nd would read. If indices repeat, the last value
    wins.

    data (*B, s(M+1) … sN) | indices (M, *B) | out (s1 … sN)

    The gradient assumes distinct indices.

    shape: (s1 … sN), the shape of the result.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises OutOfRangeError for an index out of range; negative indices count from the end.

    >>> nd.scatter_nd(nd.array([5, 6]), nd.array([[0, 1], [1, 0]]), shape=(2, 2)).asnumpy()
    array([[0., 5.],
           [6., 0.]], dtype=float32)
    """

def sgd_mom_update(weight: Symbol, grad: Symbol | None = None, mom: Symbol | None = None, *, lr: Number, momentum: Number = 0.0, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, lazy_update: bool = True, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """mom = momentum · mom - lr · (g + wd · weight); weight + mom. g = clip(rescale_grad · grad).

    weight, grad, mom (any shape) | out like weight; mom is overwritten

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    momentum: the fraction of the last step that is repeated.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    lazy_update: if True, update only the rows that a row_sparse gradient contains.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> weight, mom = nd.array([1]), nd.array([2])
    >>> weight = nd.sgd_mom_update(weight, nd.array([4]), mom, lr=0.5, momentum=0.5)
    >>> print(mom.asnumpy(), weight.asnumpy())
    [-1.] [0.]
    """

def sgd_update(weight: Symbol, grad: Symbol | None = None, *, lr: Number, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, lazy_update: bool = True, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """weight - lr · (g + wd · weight), with g = clip(rescale_grad · grad).

    weight, grad (any shape) | out like weight

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    lazy_update: if True, update only the rows that a row_sparse gradient contains.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> weight = nd.array([1, 2])
    >>> _ = nd.sgd_update(weight, nd.array([4, -4]), lr=0.5, out=weight)
    >>> print(weight.asnumpy())
    [-1.  4.]
    """

def shape_array(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The shape of data as an int64 array.

    data (d1 … dN) | out (N,)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.shape_array(nd.zeros((2, 3))).asnumpy()
    array([2, 3])
    """

def shuffle(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The items along the first axis in random order; the items themselves are unchanged.

    data (n, *item) | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> x = nd.shuffle(nd.array([[1, 10], [2, 20], [3, 30]]))
    >>> nd.sort(x, axis=0).asnumpy(), (x[:, 1] / x[:, 0]).asnumpy()
    (array([[ 1., 10.],
           [ 2., 20.],
           [ 3., 30.]], dtype=float32), array([10., 10., 10.], dtype=float32))
    """

def sigmoid(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """1 / (1 + e⁻ˣ)

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.sigmoid(nd.array([-2, 0, 2])).asnumpy().round(2)
    array([0.12, 0.5 , 0.88], dtype=float32)
    """

def sign(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """-1, 0 or 1; 0 for NaN

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.sign(nd.array([-3, 0, 2])).asnumpy()
    array([-1.,  0.,  1.], dtype=float32)
    """

def signsgd_update(weight: Symbol, grad: Symbol | None = None, *, lr: Number, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """weight - lr · (sign(grad) + wd · weight).

    weight, grad (any shape) | out like weight

    rescale_grad: no effect, because only the sign is used.
    clip_gradient: no effect, because only the sign is used.
    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    wd: the weight decay.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Bernstein et al. 2018, signSGD, arXiv:1802.04434.

    >>> print(nd.signsgd_update(nd.array([1, 1, 1]), nd.array([-7, 0, 0.1]), lr=0.5).asnumpy())
    [1.5 1.  0.5]
    """

def signum_update(weight: Symbol, grad: Symbol | None = None, mom: Symbol | None = None, *, lr: Number, momentum: Number = 0.0, wd: Number = 0.0, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, wd_lh: Number = 0.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """mom = momentum · mom - (1 - momentum) · (g + wd · weight); (1 - lr · wd_lh) · weight + lr · sign(mom).

    weight, grad, mom (any shape) | out like weight; mom is overwritten. g = clip(rescale_grad · grad)

    weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
    lr: the learning rate.
    momentum: the fraction of the last step that is repeated.
    wd: the weight decay.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    wd_lh: a decoupled weight decay, as in Loshchilov and Hutter.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Bernstein et al. 2018, signSGD, arXiv:1802.04434.

    >>> weight, mom = nd.array([1]), nd.zeros(1)
    >>> weight = nd.signum_update(weight, nd.array([4]), mom, lr=0.5, momentum=0.75)
    >>> print(mom.asnumpy(), weight.asnumpy())
    [-1.] [0.5]
    """

def sin(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """sine, x in radians

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.sin(nd.array([0, np.pi / 6])).asnumpy().round(2)
    array([0. , 0.5], dtype=float32)
    """

def sinh(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """hyperbolic sine

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.sinh(nd.array([0, 1])).asnumpy().round(2)
    array([0.  , 1.18], dtype=float32)
    """

def size_array(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The number of elements of data, as int64.

    data (any shape) | out (1,)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.size_array(nd.zeros((2, 3))).asnumpy()
    array([6])
    """

def slice(data: Symbol, begin: Sequence[int | None], end: Sequence[int | None], step: Sequence[int | None] = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data[begin[0]:end[0]:step[0], ...], with Python's slicing rules.

    data (any shape) | out: each axis as long as its slice

    begin, end: where the slice of each axis starts and stops; None and negative values as in Python. Axes not listed
    are not sliced.

    step: the step of each axis, 1 by default; negative steps go backward.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.slice(nd.array([[1, 2, 3], [4, 5, 6]]), begin=(0, 1), end=(2, 3)).asnumpy()
    array([[2., 3.],
           [5., 6.]], dtype=float32)
    """

def slice_axis(data: Symbol, axis: int, begin: int, end: int | None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The elements begin to end, exclusive, along one axis.

    data (*lead, n, *rest) | out (*lead, end - begin, *rest)

    axis: the axis of length n; negative numbers count from the end.
    begin, end: negative numbers count from the end; end=None means the end.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.slice_axis(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1, begin=1, end=None).asnumpy()
    array([[2., 3.],
           [5., 6.]], dtype=float32)
    """

def slice_like(data: Symbol, shape_like: Symbol | None = None, *, axes: Shape = (), name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data cut along some axes to the lengths of shape_like.

    data (any shape) | shape_like (any shape; only the shape matters) | out: data's shape, cut

    axes: the axes to cut; () for all.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.slice_like(nd.array([[1, 2, 3], [4, 5, 6]]), nd.zeros((1, 2))).asnumpy()
    array([[1., 2.]], dtype=float32)
    """

def smooth_l1(data: Symbol, scalar: Number = 1.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """(s · x)² / 2 where |x| < 1 / s², else |x| - 1 / (2 s²), for each element x of data.

    data (any shape) | out like data

    scalar: s. The larger s is, the narrower the parabola.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Source: Girshick 2015, Fast R-CNN, arXiv:1504.08083; here the width of the parabola is a parameter.

    >>> nd.smooth_l1(nd.array([-2, 0, 1, 3])).asnumpy()
    array([1.5, 0. , 0.5, 2.5], dtype=float32)
    """

def softmax(data: Symbol, length: Symbol | None = None, *, axis: int = -1, temperature: Number | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """exp(data / temperature) divided by its sum along axis.

    data (any shape) | length (data's shape without axis), only with use_length | out like data

    axis: the axis along which the probabilities sum to 1.
    temperature: the divisor of data; values above 1 make the result more uniform. None means 1.
    dtype: the dtype of out; None for the dtype of data. The computation uses at least float32.
    use_length: if True, use only the first `length` elements along axis; the others are 0 in out.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> print(nd.softmax(nd.log(nd.array([1, 1, 2]))).asnumpy().round(3))
    [0.25 0.25 0.5 ]
    >>> print(nd.softmax(nd.array([[7, 7, 7]]), nd.array([2]), use_length=True).asnumpy())
    [[0.5 0.5 0. ]]
    """

def softmax_cross_entropy(data: Symbol, label: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The sum over items of -log softmax(data)[label].

    data (N, classes) | label (N,) | out (1,)

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises OutOfRangeError for a label that is not a class.

    >>> print(nd.softmax_cross_entropy(nd.zeros((3, 4)), nd.array([0, 1, 3])).asnumpy().round(3))    # 3 log 4
    [4.159]
    """

def softmin(data: Symbol, axis: int = -1, temperature: Number | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """softmax(-data): the smallest element has the largest value.

    data (any shape) | out like data. Only `softmax` takes a length.

    axis: the axis along which the probabilities sum to 1.
    temperature: the divisor of data; values above 1 make the result more uniform. None means 1.
    dtype: the dtype of out; None for the dtype of data. The computation uses at least float32.
    use_length: if True, use only the first `length` elements along axis; the others are 0 in out.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> print(nd.softmin(nd.log(nd.array([1, 2, 2]))).asnumpy().round(3))
    [0.5  0.25 0.25]
    """

def softsign(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """x / (1 + |x|)

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.softsign(nd.array([-1, 0, 3])).asnumpy().round(2)
    array([-0.5 ,  0.  ,  0.75], dtype=float32)
    """

def sort(data: Symbol, axis: int | None = -1, is_ascend: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The elements in order along an axis. Equal elements keep their order; NaN is last.

    data (any shape) | out like data, or with axis=None (elements of data,)

    axis: the axis to sort along; None flattens first.
    is_ascend: True for the smallest first, False for the largest.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.sort(nd.array([[3, 1, 2], [6, 5, 4]])).asnumpy()
    array([[1., 2., 3.],
           [4., 5., 6.]], dtype=float32)
    """

def space_to_depth(data: Symbol, block_size: int, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Blocks of b · b elements of the plane stacked as channels, with b = block_size.

    data (N, C, b · H, b · W) | out (N, b² · C, H, W)

    block_size: b, the height and width of a block.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.space_to_depth(nd.arange(4).reshape((1, 1, 2, 2)), block_size=2).shape
    (1, 4, 1, 1)
    """

def split(data: Symbol, num_outputs: int, axis: int = 1, squeeze_axis: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Splits axis `axis` into `num_outputs` equal parts. A single part is returned as an array, several parts as a
    list.

    data (*lead, n, *rest) | outputs: (*lead, n / num_outputs, *rest) each, or (*lead, *rest) with squeeze_axis

    num_outputs: the number of parts; it must divide n.
    axis: the axis of length n.
    squeeze_axis: if True, remove the axis; the parts must have length 1.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> a, b = nd.split(nd.array([[1, 2, 3, 4]]), num_outputs=2, axis=1)
    >>> a.asnumpy(), b.asnumpy()
    (array([[1., 2.]], dtype=float32), array([[3., 4.]], dtype=float32))
    """

def sqrt(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """√x

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.sqrt(nd.array([1, 4, 9])).asnumpy()
    array([1., 2., 3.], dtype=float32)
    """

def square(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """x²

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.square(nd.array([-1, 2, 3])).asnumpy()
    array([1., 4., 9.], dtype=float32)
    """

def squeeze(data: Symbol, axis: Shape | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """data without its axes of length 1; the result has at least one axis.

    data (any shape) | out: data's shape without these axes

    axis: the axes to remove, which must have length 1; None removes all axes of length 1.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.squeeze(nd.zeros((2, 1, 3, 1))).shape
    (2, 3)
    >>> nd.squeeze(nd.zeros((2, 1, 3, 1)), axis=1).shape
    (2, 3, 1)
    """

def stack(*data: Symbol, axis: int = 0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Arrays of the same shape joined along a new axis.

    data (*lead, *rest), the same shape for all | out (*lead, number of arrays, *rest)

    axis: the position of the new axis in the result.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.stack(nd.array([1, 2]), nd.array([3, 4]), axis=1).asnumpy()
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """

def stop_gradient(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """x; no gradient passes

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.BlockGrad(nd.array([1, 2])).asnumpy()
    array([1., 2.], dtype=float32)
    """

def sum(data: Symbol, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Sum over axes.

    data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    keepdims: True leaves the reduced axes in the result, with length 1.
    exclude: if True, reduce all axes except `axis`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.sum(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
    array([3., 7.], dtype=float32)
    """

def sum_axis(data: Symbol, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Sum over axes.

    data (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    keepdims: True leaves the reduced axes in the result, with length 1.
    exclude: if True, reduce all axes except `axis`.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.sum(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
    array([3., 7.], dtype=float32)
    """

def swapaxes(data: Symbol, dim1: int = 0, dim2: int = 0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Exchanges the axes dim1 and dim2.

    data (any shape) | out: data's shape with the two lengths exchanged

    dim1, dim2: the two axes; negative numbers count from the end.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.swapaxes(nd.zeros((2, 3, 4)), dim1=0, dim2=2).shape
    (4, 3, 2)
    """

def take(a: Symbol, indices: Symbol | None = None, *, axis: int = 0, mode: Literal['clip', 'raise', 'wrap'] = 'clip', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Slices of a at `indices` along axis `axis`.

    a (*lead, n, *rest) | indices (any shape) | out (*lead, *indices' shape, *rest)

    axis: the axis of length n.
    mode: how an index out of range is handled: 'clip' uses the nearest valid index, 'wrap' takes it modulo n, 'raise'
    raises an error.

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises OutOfRangeError with mode='raise'.

    >>> nd.take(nd.array([[1, 2], [3, 4], [5, 6]]), nd.array([2, 0, 2])).asnumpy()
    array([[5., 6.],
           [1., 2.],
           [5., 6.]], dtype=float32)
    """

def tan(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """tangent, x in radians

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.tan(nd.array([0, 1])).asnumpy().round(2)
    array([0.  , 1.56], dtype=float32)
    """

def tanh(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """hyperbolic tangent

    data (any shape), x is each of its elements | out like data; integers are truncated

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.tanh(nd.array([0, 1])).asnumpy().round(2)
    array([0.  , 0.76], dtype=float32)
    """

def tile(data: Symbol, reps: Shape, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The array repeated reps[i] times along axis i. The shorter of shape and reps is padded with ones at the front.

    data (d1 … dN) | out (d1 · reps[0] … dN · reps[N-1])

    reps: the number of repetitions along each axis.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.tile(nd.array([[1, 2]]), reps=(2, 2)).asnumpy()
    array([[1., 2., 1., 2.],
           [1., 2., 1., 2.]], dtype=float32)
    """

def topk(data: Symbol, axis: int | None = -1, k: int = 1, ret_typ: Literal['both', 'indices', 'mask', 'value'] = 'indices', is_ascend: bool = False, dtype: DType = 'float32', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The k largest elements along an axis, in order; the smallest with is_ascend=True.

    data (*lead, n, *rest) | out (*lead, k, *rest), or with axis=None (k,); like data with ret_typ='mask'

    k: the number of elements; less than 1 selects all.
    ret_typ: 'indices' as `dtype`, 'value', 'both' (values and indices, which have no gradient), or 'mask', an array
        like data with 1 at the selected elements and 0 elsewhere.
    axis: the axis to sort along; None flattens first.
    is_ascend: True for the smallest first, False for the largest.
    dtype: the element type of the positions.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.topk(nd.array([10, 30, 20]), k=2).asnumpy()
    array([1., 2.], dtype=float32)
    >>> nd.topk(nd.array([10, 30, 20]), k=2, ret_typ="value").asnumpy()
    array([30., 20.], dtype=float32)
    """

def transpose(data: Symbol, axes: Shape = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The axes in a different order: axis i of the result is axis axes[i] of data.

    data (d0 … dN) | out (d[axes[0]] … d[axes[N]])

    axes: the order; () reverses the axes.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.transpose(nd.array([[1, 2, 3], [4, 5, 6]])).asnumpy()
    array([[1., 4.],
           [2., 5.],
           [3., 6.]], dtype=float32)
    >>> nd.transpose(nd.zeros((2, 3, 4)), axes=(0, 2, 1)).shape
    (2, 4, 3)
    """

def trunc(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """the nearest integer towards 0

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.trunc(nd.array([1.8, -1.8])).asnumpy()
    array([ 1., -1.], dtype=float32)
    """

def uniform(low: Number = 0.0, high: Number = 1.0, shape: Shape | None = None, ctx: str | Context = '', dtype: DType | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """Random numbers: uniform in [low, high).

    out (*shape)

    low: the lower bound, inclusive.
    high: the upper bound, exclusive.
    shape: the shape of the result; None for (1,).
    ctx: the device, such as 'cpu(0)'; '' for the current one.
    dtype: the element type; None for float32.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    Raises ArgumentError: low must not be above high.

    >>> nd.random_uniform(low=2, high=4, shape=(10000,)).mean().asnumpy().round()
    array([3.], dtype=float32)
    """

def unravel_index(data: Symbol, shape: Shape | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """The positions that correspond to flat indices in an array of shape `shape`. No gradient.

    data (*B) | out (N, *B)

    shape: the shape of the array, with N axes.
    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.unravel_index(nd.array([2, 3]), shape=(2, 3)).asnumpy()
    array([[0., 1.],
           [2., 0.]], dtype=float32)
    """

def where(condition: Symbol, x: Symbol | None = None, y: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """x where condition is not zero, else y.

    condition (as x, or a vector with an element for each row) | x, y (any shape) | out like x

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.where(nd.array([1, 0, 1]), nd.array([1, 2, 3]), nd.array([-1, -2, -3])).asnumpy()
    array([ 1., -2.,  3.], dtype=float32)
    """

def zeros_like(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
    """zeros in the shape and dtype of x

    data (any shape), x is each of its elements | out like data

    name: the name of the node. Without it the operator's name and a number make one.
    attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.zeros_like(nd.array([1, 2])).asnumpy()
    array([0., 0.], dtype=float32)
    """

class contrib:
    @staticmethod
    def AdaptiveAvgPooling2D(data: Symbol, output_size: Shape = (), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The means of windows that divide data into h rows and w columns, for any H and W.

        data (N, C, H, W) | out (N, C, h, w). Along an axis, window i is [⌊i · H / h⌋, ⌈(i + 1) · H / h⌉).

        output_size: (h, w), or one number for both; () stands for 1.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: He, Zhang, Ren and Sun 2014, Spatial pyramid pooling, arXiv:1406.4729.

        >>> print(nd.contrib.AdaptiveAvgPooling2D(nd.array([[[[1, 3, 5]]]]), output_size=(1, 2)).asnumpy())
        [[[[2. 4.]]]]
        """

    @staticmethod
    def BatchNormWithReLU(data: Symbol, gamma: Symbol | None = None, beta: Symbol | None = None, moving_mean: Symbol | None = None, moving_var: Symbol | None = None, *, eps: Number = 0.001, momentum: Number = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: Number | None = None, max_calib_range: Number | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """max(`BatchNorm`, 0).

        data (..., C, ...) with C at `axis` | gamma, beta, moving_mean, moving_var (C,) | out like data

        eps: added to the variance before the square root.
        momentum: the fraction of the moving statistics that is kept in a training step.
        fix_gamma: if True, use 1 for gamma, without a gradient.
        use_global_stats: if True, use the moving statistics in training as well, and do not update them.
        output_mean_var: if True, also return the mean and 1 / √(var + eps) or the variance.
        axis: the axis of the channels.
        cudnn_off: if True, avoid cuDNN on a GPU; elsewhere it has no effect.
        min_calib_range: no effect; MXNet uses it for quantized networks.
        max_calib_range: no effect; MXNet uses it for quantized networks.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> zero, one = nd.zeros(2), nd.ones(2)
        >>> print(nd.contrib.BatchNormWithReLU(nd.array([[-3, 3]]), one, zero, zero, one, eps=0).asnumpy())
        [[0. 3.]]
        """

    @staticmethod
    def BilinearResize2D(data: Symbol, like: Symbol | None = None, *, height: int = 1, width: int = 1, scale_height: Number | None = None, scale_width: Number | None = None, mode: Literal['size', 'odd_scale', 'like', 'to_even_down', 'to_even_up', 'to_odd_down', 'to_odd_up'] = 'size', align_corners: bool = True, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data resized to a different height and width by bilinear interpolation.

        data (N, C, H, W) | like (N, C, h, w), only with mode like | out (N, C, h, w)

        height: h, for mode size.
        width: w, for mode size.
        scale_height: h / H, for modes size (instead of height) and odd_scale; h is rounded down.
        scale_width: w / W, for modes size (instead of width) and odd_scale; w is rounded down.
        mode: how h and w are chosen. size: as above. odd_scale: with the scales, but an odd length n becomes (n - 1) ·
        scale + 1.
            like: the height and width of `like`. to_even_down, to_even_up, to_odd_down, to_odd_up: the next even or odd
            length, or the same length if it is already even or odd.

        align_corners: if True, align the centers of the first and last elements; if False, align their outer edges.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises ShapeError for lengths and scales that are not positive, and for odd_scale without scales.

        >>> print(nd.contrib.BilinearResize2D(nd.array([[[[0, 4]]]]), height=1, width=3).asnumpy())
        [[[[0. 2. 4.]]]]
        """

    @staticmethod
    def CTCLoss(data: Symbol, label: Symbol | None = None, data_lengths: Symbol | None = None, label_lengths: Symbol | None = None, *, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """-log of the total probability of all alignments of data with label.

        data (T, N, classes), not yet normalized | label (N, L), T ≥ L | data_lengths, label_lengths (N,), if used
        out (N,)

        A label sequence that does not fit in its frames has loss 0 and no gradient, as in MXNet, so that the sum over a
        batch with such an item stays finite.

        use_data_lengths: if True, data_lengths gives the number of frames of each item, at most T.
        use_label_lengths: if True, label_lengths gives the number of labels of each item, at most L, regardless of the
        blank_label: the class of the blank. first: 0, and label is padded with 0; last: classes - 1, and label is padded
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises ArgumentError for lengths beyond T or L.
        Source: Graves, Fernández, Gomez and Schmidhuber, ICML 2006.

        Three of the four paths through two frames produce the label: 1 1, blank 1 and 1 blank.

        >>> print(nd.CTCLoss(nd.zeros((2, 1, 2)), nd.array([[1]])).asnumpy().round(3), -np.log(3 / 4).round(3))
        [0.288] 0.288
        """

    @staticmethod
    def DeformableConvolution(data: Symbol, offset: Symbol | None = None, weight: Symbol | None = None, bias: Symbol | None = None, *, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = (), num_filter: int, num_group: int = 1, num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False, layout: Literal['NCDHW', 'NCHW', 'NCW'] | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """A convolution whose window elements are shifted by `offset`.

        data (N, C, H, W) | offset (N, num_deformable_group · 2 · kh · kw, h, w): down, then to the right |
        weight (num_filter, C / num_group, kh, kw) | bias (num_filter,), absent with no_bias | out (N, num_filter, h, w)

        h and w are as in Convolution. Points between elements of data are interpolated bilinearly.

        kernel: the size of a window along each of 1, 2 or 3 spatial axes.
        stride: the step from one window to the next, one for each axis of kernel; 1 by default.
        dilate: the step from one element of a window to the next along each axis; 1 by default.
        pad: the number of zeros added on both sides of each spatial axis; 0 by default.
        num_filter: the number of filters, which is the number of output channels.
        num_group: the number of groups of channels and filters; each group of filters reads only its own channels.
        num_deformable_group: the number of groups of channels, each with its own offsets.
        workspace: the size in MB of cuDNN's workspace.
        no_bias: if True, omit the bias.
        layout: the order of the axes. If it ends in C, channels are the last axis of data, weight and out.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Dai et al. 2017, Deformable convolutional networks, arXiv:1703.06211.

        >>> data, weight = nd.array([[[[1, 2, 4]]]]), nd.ones((1, 1, 1, 1))
        >>> offset = nd.array([[[[0, 0, 0]], [[0, 0.5, -2]]]])      # down, and to the right
        >>> how = {"kernel": (1, 1), "num_filter": 1, "no_bias": True}
        >>> print(nd.contrib.DeformableConvolution(data, offset, weight, **how).asnumpy())
        [[[[1. 3. 1.]]]]
        """

    @staticmethod
    def DeformablePSROIPooling(data: Symbol, rois: Symbol | None = None, trans: Symbol | None = None, *, spatial_scale: Number, output_dim: int, group_size: int, pooled_size: int, part_size: int = 0, sample_per_part: int = 1, trans_std: Number = 0.0, no_trans: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Divides each region into bins, moves each bin by an offset, and returns the mean of its bilinear samples.

        data (N, output_dim · g², H, W) | rois (R, 5): the image's index, xmin, ymin, xmax, ymax in units of 1 /
        spatial_scale, rounded; the region includes them | trans (R, 2 · classes, q, q), q = part_size or pooled_size: to
        the right, then down, in units of the region's size / trans_std; absent with no_trans=True | out (R, output_dim, p,
        p)

        Bin (i, j) of channel c reads channel (c · g + i · g // p) · g + j · g // p, and is moved by the offset of class
        c · classes // output_dim at (i · q // p, j · q // p). Of the sample_per_part² samples in each bin, those up to half
        an element outside data count. A bin without samples is 0, as are all bins of a region without an image (-1).

        spatial_scale: the number of data elements per unit in rois.
        output_dim: the number of channels of out.
        group_size: g, the number of groups of channels along each axis.
        pooled_size: p, the number of bins in a region along each axis.
        part_size: the number of offsets in a region along each axis; 0 stands for pooled_size.
        sample_per_part: the number of samples in a bin along each axis.
        trans_std: the factor of trans.
        no_trans: if True, leave the bins in place; trans is then omitted.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Dai et al. 2017, Deformable convolutional networks, arXiv:1703.06211.

        >>> data, rois = nd.array([[[[1, 2, 3], [1, 2, 3]]]]), nd.array([[0, 0, 0, 1, 1]])
        >>> how = {"spatial_scale": 1, "output_dim": 1, "group_size": 1, "pooled_size": 1, "trans_std": 1}
        >>> print(nd.contrib.DeformablePSROIPooling(data, rois, nd.zeros((1, 2, 1, 1)), **how).asnumpy())
        [[[[1.]]]]
        >>> print(nd.contrib.DeformablePSROIPooling(data, rois, nd.array([[[[0.5]], [[0]]]]), **how).asnumpy())
        [[[[1.5]]]]
        """

    @staticmethod
    def ModulatedDeformableConvolution(data: Symbol, offset: Symbol | None = None, mask: Symbol | None = None, weight: Symbol | None = None, bias: Symbol | None = None, *, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = (), num_filter: int, num_group: int = 1, num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False, im2col_step: int = 64, layout: Literal['NCDHW', 'NCHW', 'NCW'] | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """DeformableConvolution whose window elements are also multiplied by `mask`.

        data (N, C, H, W) | offset (N, num_deformable_group · 2 · kh · kw, h, w) | mask (N, num_deformable_group · kh · kw,
        h, w) | weight (num_filter, C / num_group, kh, kw) | bias (num_filter,), absent with no_bias |
        out (N, num_filter, h, w)

        Elements beyond an edge count as zero.

        kernel: the size of a window along each of 1, 2 or 3 spatial axes.
        stride: the step from one window to the next, one for each axis of kernel; 1 by default.
        dilate: the step from one element of a window to the next along each axis; 1 by default.
        pad: the number of zeros added on both sides of each spatial axis; 0 by default.
        num_filter: the number of filters, which is the number of output channels.
        num_group: the number of groups of channels and filters; each group of filters reads only its own channels.
        num_deformable_group: the number of groups of channels, each with its own offsets.
        workspace: the size in MB of cuDNN's workspace.
        no_bias: if True, omit the bias.
        im2col_step: no effect; in MXNet it is the number of images computed at once.
        layout: the order of the axes. If it ends in C, channels are the last axis of data, weight and out.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Zhu, Hu, Lin and Dai 2018, Deformable ConvNets v2, arXiv:1811.11168.

        >>> data, weight, offset = nd.array([[[[1, 2, 4]]]]), nd.ones((1, 1, 1, 1)), nd.zeros((1, 2, 1, 3))
        >>> mask, how = nd.array([[[[1, 0.5, 0]]]]), {"kernel": (1, 1), "num_filter": 1, "no_bias": True}
        >>> print(nd.contrib.ModulatedDeformableConvolution(data, offset, mask, weight, **how).asnumpy())
        [[[[1. 1. 0.]]]]
        """

    @staticmethod
    def MultiBoxDetection(cls_prob: Symbol, loc_pred: Symbol | None = None, anchor: Symbol | None = None, *, clip: bool = True, threshold: Number = 0.01, background_id: int = 0, nms_threshold: Number = 0.5, force_suppress: bool = False, variances: Number | Sequence[float] = (0.1, 0.1, 0.2, 0.2), nms_topk: int = -1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Detected boxes, best first: rows (class, score, xmin, ymin, xmax, ymax).

        cls_prob (N, classes, A), class 0 is background | loc_pred (N, 4A): offsets | anchor (1, A, 4) | out (N, A, 6),
        with classes counted from 0, without the background

        An anchor's class is the most probable one; NaN counts as less than any number. A row's class becomes -1 if its box
        overlaps a better one of the same class; all numbers in rows without a detection are -1.

        clip: if True, clip boxes to the image.
        threshold: the minimum probability of an anchor's class.
        background_id: no effect, as in MXNet.
        nms_threshold: the minimum overlap at which the worse of two boxes loses its class.
        force_suppress: if True, also compare boxes of different classes.
        variances: the factors of the offsets, four numbers.
        nms_topk: how many of the best rows may keep their class; -1 for all.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Liu et al. 2016, SSD: single shot multibox detector, arXiv:1512.02325.

        >>> scores, anchor = nd.array([[[0.25, 0.75], [0.75, 0.25]]]), nd.array([[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]]])
        >>> print(nd.contrib.MultiBoxDetection(scores, nd.zeros((1, 8)), anchor, threshold=0.5).asnumpy())
        [[[ 0.    0.75  0.    0.    0.5   0.5 ]
          [-1.   -1.   -1.   -1.   -1.   -1.  ]]]
        """

    @staticmethod
    def MultiBoxPrior(data: Symbol, sizes: Number | Sequence[float] = (1.0,), ratios: Number | Sequence[float] = (1.0,), clip: bool = False, steps: Number | Sequence[float] = (-1.0, -1.0), offsets: Number | Sequence[float] = (0.5, 0.5), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Anchors around each position of a feature map, the same for all images.

        data (N, C, h, w; only the shape matters) | out (1, h · w · a, 4), a = len(sizes) + len(ratios) - 1

        Boxes are corners as fractions of the image. Each position has one anchor of each size with the first ratio, then
        one of each other ratio with the first size. An anchor of size s and ratio r is s · √r · h / w wide and s / √r high.

        sizes: the heights of anchors of ratio 1, as fractions of the image.
        ratios: width over height.
        clip: if True, clip the boxes to the image.
        steps: the distance between positions (down, to the right); -1 stands for 1 / h and 1 / w.
        offsets: the center of an anchor within its position, (down, to the right), in steps.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Liu et al. 2016, SSD: single shot multibox detector, arXiv:1512.02325.

        >>> print(nd.contrib.MultiBoxPrior(nd.zeros((1, 3, 1, 2)), sizes=(0.5,)).asnumpy())
        [[[0.125 0.25  0.375 0.75 ]
          [0.625 0.25  0.875 0.75 ]]]
        """

    @staticmethod
    def MultiBoxTarget(anchor: Symbol, label: Symbol | None = None, cls_pred: Symbol | None = None, *, overlap_threshold: Number = 0.5, ignore_label: Number = -1.0, negative_mining_ratio: Number = -1.0, negative_mining_thresh: Number = 0.5, minimum_negative_samples: int = 0, variances: Number | Sequence[float] = (0.1, 0.1, 0.2, 0.2), name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The object that each anchor should detect, and the offsets to it.

        anchor (1, A, 4) | label (N, M, 5 or more): class, then corners; a class of -1 ends the list of objects in an image
        |
        cls_pred (N, classes, A), read only for mining
        outputs: offsets (N, 4A); their mask (N, 4A), 1 for anchors with an object; classes (N, A): 0 is background, 1 and
        above are the label's classes plus one

        Each object is assigned the anchor that overlaps it most; other anchors are assigned an object if their overlap is
        large enough. The remaining anchors are background; with mining, only some of them are. Offsets are computed as in
        box_encode, without means and with variances as stds.

        overlap_threshold: the overlap above which an anchor should detect the object.
        ignore_label: the class of anchors that mining does not select.
        negative_mining_ratio: if positive, the number of background anchors per anchor with an object; those with the
            lowest predicted probability of background are selected.
        negative_mining_thresh: mining considers anchors whose greatest overlap is less than this.
        minimum_negative_samples: no effect, as in MXNet.
        variances: the divisors of the offsets, four numbers.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Liu et al. 2016, SSD: single shot multibox detector, arXiv:1512.02325.

        >>> anchor, label = nd.array([[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]]]), nd.array([[[7, 0.5, 0.5, 1, 1]]])
        >>> offsets, mask, classes = nd.contrib.MultiBoxTarget(anchor, label, nd.zeros((1, 9, 2)))
        >>> print(classes.asnumpy(), mask.asnumpy())
        [[0. 8.]] [[0. 0. 0. 0. 1. 1. 1. 1.]]
        """

    @staticmethod
    def MultiProposal(cls_prob: Symbol, bbox_pred: Symbol | None = None, im_info: Symbol | None = None, *, rpn_pre_nms_top_n: int = 6000, rpn_post_nms_top_n: int = 300, threshold: Number = 0.7, rpn_min_size: int = 16, scales: Number | Sequence[float] = (4.0, 8.0, 16.0, 32.0), ratios: Number | Sequence[float] = (0.5, 1.0, 2.0), feature_stride: int = 16, output_score: bool = False, iou_loss: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Proposals for each image in a batch: anchors moved by offsets; the best are kept after suppression.

        cls_prob (N, 2 · anchors, h, w): scores of background, then of objects | bbox_pred (N, 4 · anchors, h, w): offsets |
        im_info (N, 3): height, width and scale of each image | out (N · rpn_post_nms_top_n, 5): index of the image and
        corners | score (N · rpn_post_nms_top_n, 1), visible with output_score

        rpn_pre_nms_top_n: how many of the best boxes take part in the suppression; all if not positive.
        rpn_post_nms_top_n: the number of boxes returned per image; if there are fewer, boxes are repeated.
        threshold: the intersection over union above which the worse of two boxes is suppressed.
        rpn_min_size: smaller boxes, in pixels of the unscaled image, come last.
        scales: the scales of the anchors at a position, in strides.
        ratios: the aspect ratios of the anchors at a position, height over width.
        feature_stride: the number of pixels of the image per position, along each axis.
        output_score: if True, also return the scores.
        iou_loss: True if offsets apply to the corners, in pixels.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Ren, He, Girshick and Sun 2015, Faster R-CNN, arXiv:1506.01497.

        >>> scores, offsets, info = nd.zeros((2, 2, 1, 1)), nd.zeros((2, 4, 1, 1)), nd.array([[64, 64, 1], [64, 16, 1]])
        >>> how = {"scales": (2,), "ratios": (1,), "rpn_post_nms_top_n": 1}
        >>> print(nd.contrib.MultiProposal(scores, offsets, info, **how).asnumpy())
        [[ 0.  0.  0. 23. 23.]
         [ 1.  0.  0. 15. 23.]]
        """

    @staticmethod
    def PSROIPooling(data: Symbol, rois: Symbol | None = None, *, spatial_scale: Number, output_dim: int, pooled_size: int, group_size: int = 0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Divides each region into bins and returns the mean of each bin over its own channels.

        data (N, output_dim · g², H, W), g = group_size or pooled_size | rois (R, 5): the image's index, xmin, ymin, xmax,
        ymax, rounded, inclusive | out (R, output_dim, p, p), p = pooled_size

        Bin (i, j) of channel c reads channel (c · g + i · g // p) · g + j · g // p; 0 for a bin without elements.

        output_dim: the number of channels of out.
        pooled_size: p, the number of bins in a region along each axis.
        group_size: g, the number of groups of channels along each axis; 0 for p.
        spatial_scale: the number of data elements per unit in rois.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Dai, Li, He and Sun 2016, R-FCN, arXiv:1605.06409.

        >>> data, rois = nd.arange(4).reshape((1, 4, 1, 1)) * nd.ones((1, 1, 2, 2)), nd.array([[0, 0, 0, 1, 1]])
        >>> print(nd.contrib.PSROIPooling(data, rois, spatial_scale=1, output_dim=1, pooled_size=2).asnumpy())
        [[[[0. 1.]
           [2. 3.]]]]
        """

    @staticmethod
    def Proposal(cls_prob: Symbol, bbox_pred: Symbol | None = None, im_info: Symbol | None = None, *, rpn_pre_nms_top_n: int = 6000, rpn_post_nms_top_n: int = 300, threshold: Number = 0.7, rpn_min_size: int = 16, scales: Number | Sequence[float] = (4.0, 8.0, 16.0, 32.0), ratios: Number | Sequence[float] = (0.5, 1.0, 2.0), feature_stride: int = 16, output_score: bool = False, iou_loss: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Proposals for one image: anchors moved by offsets; the best are kept after non-maximum suppression.

        cls_prob (1, 2 · anchors, h, w): scores of background, then of objects | bbox_pred (1, 4 · anchors, h, w): offsets |
        im_info (1, 3): height, width and scale of the image | out (rpn_post_nms_top_n, 5): 0 and corners |
        score (rpn_post_nms_top_n, 1), visible with output_score

        rpn_pre_nms_top_n: how many of the best boxes take part in the suppression; all if not positive.
        rpn_post_nms_top_n: the number of boxes returned per image; if there are fewer, boxes are repeated.
        threshold: the intersection over union above which the worse of two boxes is suppressed.
        rpn_min_size: smaller boxes, in pixels of the unscaled image, come last.
        scales: the scales of the anchors at a position, in strides.
        ratios: the aspect ratios of the anchors at a position, height over width.
        feature_stride: the number of pixels of the image per position, along each axis.
        output_score: if True, also return the scores.
        iou_loss: True if offsets apply to the corners, in pixels.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises ShapeError for more than one image.
        Source: Ren, He, Girshick and Sun 2015, Faster R-CNN, arXiv:1506.01497.

        >>> scores, offsets, info = nd.array([[[[0]], [[1]]]]), nd.zeros((1, 4, 1, 1)), nd.array([[64, 64, 1]])
        >>> how = {"scales": (2,), "ratios": (1,), "rpn_post_nms_top_n": 1}
        >>> print(nd.contrib.Proposal(scores, offsets, info, **how).asnumpy())      # -8 to 23, clipped at the edge
        [[ 0.  0.  0. 23. 23.]]
        """

    @staticmethod
    def ROIAlign(data: Symbol, rois: Symbol | None = None, *, pooled_size: Shape, spatial_scale: Number, sample_ratio: int = -1, position_sensitive: bool = False, aligned: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Divides each region into bins and returns the mean of bilinear samples in each bin.

        data (N, C, H, W) | rois (R, 5): the image's index, xmin, ymin, xmax, ymax in units of 1 / spatial_scale; for a
        region without an image (-1), the result is zeros | out (R, C, h, w)

        sample_ratio: the number of samples in a bin along each axis; if not positive, the bin's size, rounded up.
        position_sensitive: if True, data has C · h · w channels, and bin (i, j) of channel c reads (c · h + i) · w + j.
        aligned: if True, place the center of element (0, 0) at (0.5, 0.5), and do not enlarge small regions to a size of 1.
        pooled_size: (h, w), the number of bins in a region along each axis.
        spatial_scale: the number of data elements per unit in rois.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: He, Gkioxari, Dollár and Girshick 2017, Mask R-CNN, arXiv:1703.06870.

        >>> data, rois = nd.array([[[[0, 2, 4], [0, 2, 4]]]]), nd.array([[0, 0, 0, 2, 1]])
        >>> print(nd.contrib.ROIAlign(data, rois, pooled_size=(1, 2), spatial_scale=1).asnumpy())
        [[[[1. 3.]]]]
        """

    @staticmethod
    def RROIAlign(data: Symbol, rois: Symbol | None = None, *, pooled_size: Shape, spatial_scale: Number, sampling_ratio: int = -1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Like ROIAlign, for rotated regions.

        data (N, C, H, W) | rois (R, 6): the image's index, the center (x, y), width, height, the angle in degrees
        counterclockwise | out (R, C, h, w)

        sampling_ratio: the number of samples in a bin along each axis; if not positive, the bin's size, rounded up.
        pooled_size: (h, w), the number of bins in a region along each axis.
        spatial_scale: the number of data elements per unit in rois.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Ma et al. 2018, Arbitrary-oriented scene text detection via rotation proposals, IEEE Transactions on
        Multimedia 20.

        >>> data, rois = nd.array([[[[0, 2, 4], [0, 2, 4]]]]), nd.array([[0, 1, 0.5, 2, 1, 180]])
        >>> print(nd.contrib.RROIAlign(data, rois, pooled_size=(1, 2), spatial_scale=1).asnumpy().round(3))
        [[[[3. 1.]]]]
        """

    @staticmethod
    def SparseEmbedding(data: Symbol, weight: Symbol | None = None, *, input_dim: int, output_dim: int, dtype: DType = 'float32', sparse_grad: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """For each element i of data, row i of weight.

        data (any shape) | weight (input_dim, output_dim) | out (*data's shape, output_dim)

        An index out of range is an error. -1, which marks padding, counts as 0. In lenient mode, and on a GPU, such indices
        are clipped, as in MXNet.

        input_dim: the number of rows in weight, which is the size of the vocabulary.
        output_dim: the length of a row.
        dtype: the type of weight if it is unknown.
        sparse_grad: if True, make the gradient of weight row_sparse, except in a graph, where it is dense.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> weight = nd.array([[0, 0], [1, 10], [2, 20]])
        >>> nd.Embedding(nd.array([2, 1]), weight, input_dim=3, output_dim=2).asnumpy()
        array([[ 2., 20.],
               [ 1., 10.]], dtype=float32)
        """

    @staticmethod
    def SyncBatchNorm(data: Symbol, gamma: Symbol | None = None, beta: Symbol | None = None, moving_mean: Symbol | None = None, moving_var: Symbol | None = None, *, eps: Number = 0.001, momentum: Number = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, ndev: int = 1, key: str, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """`BatchNorm` along axis 1. In MXNet its statistics cover the parts of a batch on all devices; here only one device
        per process is supported. `gluon.contrib.nn.SyncBatchNorm(kvstore=...)` makes them cover all processes.

        data (N, C, ...) | gamma, beta, moving_mean, moving_var (C,) | out like data
        with output_mean_var also mean (C,) and variance (C,)

        ndev: 1, the only supported number of devices.
        key: the name of the layer, which identifies it across devices.
        eps: added to the variance before the square root.
        momentum: the fraction of the moving statistics that is kept in a training step.
        fix_gamma: if True, use 1 for gamma, without a gradient.
        use_global_stats: if True, use the moving statistics in training as well, and do not update them.
        output_mean_var: if True, also return the mean and 1 / √(var + eps) or the variance.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises ShapeError for any other number of devices.
        Source: Zhang et al. 2018, Context encoding for semantic segmentation, arXiv:1803.08904.

        >>> zero, one = nd.zeros(2), nd.ones(2)
        >>> print(nd.contrib.SyncBatchNorm(nd.array([[-3, 3]]), one, zero, zero, one, eps=0, key="a").asnumpy())
        [[-3.  3.]]
        """

    @staticmethod
    def adamw_update(weight: Symbol, grad: Symbol | None = None, mean: Symbol | None = None, var: Symbol | None = None, rescale_grad: Symbol | None = None, *, lr: Number, beta1: Number = 0.9, beta2: Number = 0.999, epsilon: Number = 1e-08, wd: Number = 0.0, eta: Number, clip_gradient: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """weight - eta · (lr · mean / (√var + epsilon) + wd · weight), with the running means of g and g².

        weight, grad, mean, var (any shape) | rescale_grad (1,) | out like weight; mean and var are overwritten

        If rescale_grad is 0, NaN or infinite, nothing changes. Loss scaling skips a step this way.

        rescale_grad: an array with the factor of grad, so that g = clip(rescale_grad · grad).
        weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
        lr: the learning rate.
        beta1: the decay rate of the running mean of the gradient.
        beta2: the decay rate of the running mean of the squared gradient.
        epsilon: added to the denominator to avoid division by 0.
        wd: the weight decay.
        eta: the factor of the entire step, for schedules.
        clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Loshchilov and Hutter 2017, Decoupled weight decay regularization, arXiv:1711.05101.

        >>> weight, mean, var, scale = nd.array([1]), nd.zeros(1), nd.zeros(1), nd.ones(1)
        >>> how = {"beta1": 0.5, "beta2": 0.75, "epsilon": 0, "lr": 1, "wd": 0.5, "eta": 1}
        >>> print(nd.contrib.adamw_update(weight, nd.array([4]), mean, var, scale, **how).asnumpy())
        [-0.5]
        """

    @staticmethod
    def allclose(a: Symbol, b: Symbol | None = None, *, rtol: Number = 1e-05, atol: Number = 1e-08, equal_nan: bool = True, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """1 if |a - b| <= atol + rtol · |b| for all elements, else 0; as uint8. No gradient.

        a, b (any common shape) | out ()

        rtol, atol: the relative and the absolute tolerance.
        equal_nan: if True, treat NaN as close to NaN. Equal infinities are close.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.contrib.allclose(nd.array([1, 2]), nd.array([1, 2.000001])).asnumpy()
        array(1, dtype=uint8)
        """

    @staticmethod
    def arange_like(data: Symbol, start: Number = 0.0, step: Number = 1.0, repeat: int = 1, ctx: str | Context = '', axis: int | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Evenly spaced numbers with the shape of data, or one for each index of one of its axes. No gradient.

        data (any shape; only the shape matters) | out like data, or with axis (data.shape[axis],)

        start: the first number.
        step: the difference between successive numbers.
        repeat: how many times each number is repeated.
        ctx: no effect; the device is that of data.
        axis: the axis whose length gives the number of elements; None for an array with the shape of data.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.contrib.arange_like(nd.zeros((2, 3))).asnumpy()
        array([[0., 1., 2.],
               [3., 4., 5.]], dtype=float32)
        >>> nd.contrib.arange_like(nd.zeros((2, 3)), start=10, axis=0).asnumpy()
        array([10., 11.], dtype=float32)
        """

    @staticmethod
    def bipartite_matching(data: Symbol, *, is_ascend: bool = False, threshold: Number, topk: int = -1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Greedily paired rows and columns: the pair with the best score, then the best pair of the remaining rows and
        columns.

        data (*batch, n, m) | outputs: the column of each row (*batch, n), the row of each column (*batch, m), -1 for none

        is_ascend: True if smaller scores are better.
        threshold: pairs need a score above this, or below it with is_ascend.
        topk: matching ends after topk + 1 pairs, as in MXNet; -1 for no limit.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> rows, columns = nd.contrib.bipartite_matching(nd.array([[9, 8, 1], [7, 2, 3]]), threshold=2)
        >>> print(rows.asnumpy(), columns.asnumpy())
        [0. 2.] [ 0. -1.  1.]
        """

    @staticmethod
    def boolean_mask(data: Symbol, index: Symbol | None = None, *, axis: int = 0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The slices of data along axis `axis` for which index is not zero. The shape of the result depends on the values.

        data (*lead, n, *rest) | index (n,) | out (*lead, number of nonzeros, *rest)

        axis: the axis of length n.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.contrib.boolean_mask(nd.array([[1, 2], [3, 4], [5, 6]]), nd.array([1, 0, 1])).asnumpy()
        array([[1., 2.],
               [5., 6.]], dtype=float32)
        """

    @staticmethod
    def box_decode(data: Symbol, anchors: Symbol | None = None, *, std0: Number = 1.0, std1: Number = 1.0, std2: Number = 1.0, std3: Number = 1.0, clip: Number = -1.0, format: Literal['corner', 'center'] = 'center', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Boxes with corners from anchors and predicted offsets, the inverse of box_encode.

        data (B, N, 4) | anchors (1, N, 4), in `format` | out (B, N, 4)

        With data (dx, dy, dw, dh) and an anchor (ax, ay, aw, ah), the center is (dx · std0 · aw + ax, dy · std1 · ah + ay)
        and the size (exp(dw · std2) · aw, exp(dh · std3) · ah).

        std0: the factor of dx.
        std1: the factor of dy.
        std2: the factor of dw.
        std3: the factor of dh.
        clip: the upper bound of dw · std2 and dh · std3; no bound if not positive.
        format: the format of anchors: corner, or center for (x, y, width, height) with the center (x, y).
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> data, anchors = nd.array([[[0.5, 0, 0, 0]]]), nd.array([[[0, 0, 4, 4]]])
        >>> print(nd.contrib.box_decode(data, anchors, format="corner").asnumpy())
        [[[2. 0. 6. 4.]]]
        """

    @staticmethod
    def box_encode(samples: Symbol, matches: Symbol | None = None, anchors: Symbol | None = None, refs: Symbol | None = None, means: Symbol | None = None, stds: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Regression targets from anchors to the boxes matched with them, and a mask of matches.

        samples (B, N): 1 for a match | matches (B, N): the index of the box in refs | anchors (B, N, 4), refs (B, M, 4):
        corners | means, stds (4,) | outputs: targets and mask, both (B, N, 4)

        With (x, y, w, h) of the matched box and (ax, ay, aw, ah) of the anchor, the target is ((x - ax) / aw, (y - ay) /
        ah, log(w / aw), log(h / ah)), minus means, divided by stds; target and mask are 0 without a match.

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> anchors, refs = nd.array([[[0, 0, 4, 4], [9, 9, 10, 10]]]), nd.array([[[2, 0, 6, 4]]])
        >>> matched = nd.array([[1, 0]]), nd.array([[0, 0]])
        >>> targets, mask = nd.contrib.box_encode(*matched, anchors, refs, nd.zeros(4), nd.ones(4))
        >>> print(targets.asnumpy()[0, 0], mask.asnumpy()[0, :, 0])
        [0.5 0.  0.  0. ] [1. 0.]
        """

    @staticmethod
    def box_iou(lhs: Symbol, rhs: Symbol | None = None, *, format: Literal['corner', 'center'] = 'corner', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The intersection over union of each box in lhs with each box in rhs.

        lhs (*a, 4) | rhs (*b, 4) | out (*a, *b)

        format: corner for (xmin, ymin, xmax, ymax), center for (x, y, width, height) with the center (x, y).
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> print(nd.contrib.box_iou(nd.array([[0, 0, 2, 2]]), nd.array([[0, 0, 2, 4], [1, 0, 3, 2]])).asnumpy().round(2))
        [[0.5  0.33]]
        """

    @staticmethod
    def box_nms(data: Symbol, overlap_thresh: Number = 0.5, valid_thresh: Number = 0.0, topk: int = -1, coord_start: int = 2, score_index: int = 1, id_index: int = -1, background_id: int = -1, force_suppress: bool = False, in_format: Literal['corner', 'center'] = 'corner', out_format: Literal['corner', 'center'] = 'corner', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The surviving boxes, best score first, padded with rows of -1.

        data (*batch, n, width): each row has a score, 4 coordinates, optionally a class, and any other values
        out  like data

        A row is suppressed if it overlaps a better survivor of its class. Only the surviving rows receive a gradient.

        overlap_thresh: the intersection over union above which the worse of two boxes is suppressed.
        valid_thresh: the score above which a row takes part.
        topk: how many of the best rows take part; -1 for all.
        coord_start: the index of the first of the 4 coordinates in a row.
        score_index: the index of the score in a row.
        id_index: the index of the class in a row; -1 for none.
        background_id: the class whose rows are ignored.
        force_suppress: if True, also suppress boxes of other classes.
        in_format: corner for (xmin, ymin, xmax, ymax), center for (x, y, width, height) with the center (x, y).
        out_format: the format of the boxes in out.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Rosenfeld and Thurston 1971, Edge and curve detection for visual scene analysis.

        >>> rows = nd.array([[0, 0.8, 0, 0, 2, 2], [0, 0.9, 0, 0, 2, 2], [0, 0.7, 5, 5, 6, 6]])     # class, score, box
        >>> print(nd.contrib.box_nms(rows).asnumpy().round(1))
        [[ 0.   0.9  0.   0.   2.   2. ]
         [ 0.   0.7  5.   5.   6.   6. ]
         [-1.  -1.  -1.  -1.  -1.  -1. ]]
        """

    @staticmethod
    def box_non_maximum_suppression(data: Symbol, overlap_thresh: Number = 0.5, valid_thresh: Number = 0.0, topk: int = -1, coord_start: int = 2, score_index: int = 1, id_index: int = -1, background_id: int = -1, force_suppress: bool = False, in_format: Literal['corner', 'center'] = 'corner', out_format: Literal['corner', 'center'] = 'corner', *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The surviving boxes, best score first, padded with rows of -1.

        data (*batch, n, width): each row has a score, 4 coordinates, optionally a class, and any other values
        out  like data

        A row is suppressed if it overlaps a better survivor of its class. Only the surviving rows receive a gradient.

        overlap_thresh: the intersection over union above which the worse of two boxes is suppressed.
        valid_thresh: the score above which a row takes part.
        topk: how many of the best rows take part; -1 for all.
        coord_start: the index of the first of the 4 coordinates in a row.
        score_index: the index of the score in a row.
        id_index: the index of the class in a row; -1 for none.
        background_id: the class whose rows are ignored.
        force_suppress: if True, also suppress boxes of other classes.
        in_format: corner for (xmin, ymin, xmax, ymax), center for (x, y, width, height) with the center (x, y).
        out_format: the format of the boxes in out.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Rosenfeld and Thurston 1971, Edge and curve detection for visual scene analysis.

        >>> rows = nd.array([[0, 0.8, 0, 0, 2, 2], [0, 0.9, 0, 0, 2, 2], [0, 0.7, 5, 5, 6, 6]])     # class, score, box
        >>> print(nd.contrib.box_nms(rows).asnumpy().round(1))
        [[ 0.   0.9  0.   0.   2.   2. ]
         [ 0.   0.7  5.   5.   6.   6. ]
         [-1.  -1.  -1.  -1.  -1.  -1. ]]
        """

    @staticmethod
    def cached_attention(data: Symbol, key_cache: Symbol | None = None, value_cache: Symbol | None = None, filled: Symbol | None = None, *, heads: int, kv_heads: int | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """softmax(query · keyᵀ / √d) · value for each head, where a position attends to itself and to earlier positions.

        data (batch, length, (heads + 2 · kv_heads) · d) with queries, keys and values side by side | key_cache, value_cache
        (batch, kv_heads, capacity, d) | filled (batch,), the number of cached positions for each item
        out (batch, length, heads · d)

        Keys and values in data are appended to those in the caches; later elements of the caches are not read. The shapes
        stay the same, so a hybridized decoding step needs only one plan for all positions.
        filled is clipped to capacity - length. There is no gradient.

        heads: the number of heads of queries.
        kv_heads: the number of heads of keys and values, a divisor of heads: consecutive heads of queries share one
            (grouped-query attention). None means as many as heads.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> keys, values = nd.zeros((1, 1, 4, 1)), nd.zeros((1, 1, 4, 1))
        >>> nd.contrib.cached_attention(nd.array([[[0, 0, 2]]]), keys, values, nd.array([0]), heads=1).item()
        2.0
        >>> nd.contrib.cached_attention(nd.array([[[0, 0, 4]]]), keys, values, nd.array([1]), heads=1).item()
        3.0
        >>> values.asnumpy().ravel().tolist()
        [2.0, 4.0, 0.0, 0.0]
        """

    @staticmethod
    def calibrate_entropy(hist: Symbol, hist_edges: Symbol | None = None, *, num_quantized_bins: int = 255, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The threshold t with the smallest Kullback-Leibler divergence, and this divergence.

        hist (n,): the counts in n bins of equal width around zero, n odd | hist_edges (n + 1,): their ends
        out (1,): the threshold; (1,): the divergence

        For each t, counts outside -t to t move to the outermost bins. This distribution is compared with the same
        distribution in num_quantized_bins bins, as 8-bit integers represent it.

        num_quantized_bins: the number of integers; odd.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Migacz 2017, 8-bit inference with TensorRT, GPU Technology Conference.

        >>> counts, ends = np.histogram([-1, 0, 0, 0, 0, 1, 1, 100], 11, (-100, 100))
        >>> threshold, divergence = nd.contrib.calibrate_entropy(nd.array(counts), nd.array(ends), num_quantized_bins=3)
        >>> threshold.shape, divergence.shape
        ((1,), (1,))
        """

    cond: Any

    @staticmethod
    def count_sketch(data: Symbol, h: Symbol | None = None, s: Symbol | None = None, *, out_dim: int, processing_batch_size: int = 32, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Compresses each row into a short sketch: out[n, h[j]] += s[j] · data[n, j].

        data (N, d) | h (1, d): integers below out_dim | s (1, d): signs | out (N, out_dim)

        out_dim: the length of a sketch.
        processing_batch_size: no effect.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Charikar, Chen, Farach-Colton 2002, Finding frequent items in data streams.

        >>> h, s = nd.array([[0, 1, 0]]), nd.array([[1, -1, 1]])
        >>> nd.contrib.count_sketch(nd.array([[1, 2, 3]]), h, s, out_dim=2).asnumpy()
        array([[ 4., -2.]], dtype=float32)
        """

    @staticmethod
    def ctc_loss(data: Symbol, label: Symbol | None = None, data_lengths: Symbol | None = None, label_lengths: Symbol | None = None, *, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """-log of the total probability of all alignments of data with label.

        data (T, N, classes), not yet normalized | label (N, L), T ≥ L | data_lengths, label_lengths (N,), if used
        out (N,)

        A label sequence that does not fit in its frames has loss 0 and no gradient, as in MXNet, so that the sum over a
        batch with such an item stays finite.

        use_data_lengths: if True, data_lengths gives the number of frames of each item, at most T.
        use_label_lengths: if True, label_lengths gives the number of labels of each item, at most L, regardless of the
        blank_label: the class of the blank. first: 0, and label is padded with 0; last: classes - 1, and label is padded
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises ArgumentError for lengths beyond T or L.
        Source: Graves, Fernández, Gomez and Schmidhuber, ICML 2006.

        Three of the four paths through two frames produce the label: 1 1, blank 1 and 1 blank.

        >>> print(nd.CTCLoss(nd.zeros((2, 1, 2)), nd.array([[1]])).asnumpy().round(3), -np.log(3 / 4).round(3))
        [0.288] 0.288
        """

    @staticmethod
    def dequantize(data: Symbol, min_range: Symbol | None = None, max_range: Symbol | None = None, *, out_type: Literal['float32'] = 'float32', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The real numbers that integers with a range represent: data · m / 127.5 (int8) or data · m / 255.5 (uint8).

        data (any shape), int8 or uint8 | min_range, max_range (1,), m = max(|min_range|, |max_range|) | out like data

        out_type: float32.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> real = nd.contrib.dequantize(nd.array([-51, 102], dtype="int8"), nd.array([-1]), nd.array([2]))
        >>> print(real.asnumpy().round(4))
        [-0.8  1.6]
        """

    @staticmethod
    def div_sqrt_dim(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data / √(length of its last axis), the scaling of attention scores.

        data (*lead, d) | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.contrib.div_sqrt_dim(nd.array([2, 4, 6, 8])).asnumpy()
        array([1., 2., 3., 4.], dtype=float32)
        """

    @staticmethod
    def fft(data: Symbol, compute_size: int = 128, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The Fourier transform, with alternating real and imaginary parts: out[k] = Σ_j data[j] · exp(-2πi · j · k / d).

        data (*lead, d), of 2 or 4 dimensions | out (*lead, 2d)

        compute_size: no effect.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.contrib.fft(nd.array([[1, 2, 3, 4]])).asnumpy()
        array([[10.,  0., -2.,  2., -2.,  0., -2., -2.]], dtype=float32)
        """

    foreach: Any

    @staticmethod
    def gradientmultiplier(data: Symbol, scalar: Number = 1.0, is_int: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data unchanged, but its gradient is multiplied by `scalar`. A negative number reverses the gradient.

        data (any shape) | out like data

        scalar: the factor.
        is_int: no effect.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Ganin, Lempitsky 2015, Unsupervised domain adaptation by backpropagation, arXiv:1409.7495.

        >>> x = nd.array([1, 2])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = nd.contrib.gradientmultiplier(x, scalar=-0.5)
        >>> y.backward()
        >>> y.asnumpy(), x.grad.asnumpy()
        (array([1., 2.], dtype=float32), array([-0.5, -0.5], dtype=float32))
        """

    @staticmethod
    def group_adagrad_update(weight: Symbol, grad: Symbol | None = None, history: Symbol | None = None, *, lr: Number, rescale_grad: Number = 1.0, clip_gradient: Number = -1.0, epsilon: Number = 1e-05, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """history += the mean of g² over each row; weight - lr · g / √(history + epsilon). g = clip(rescale_grad · grad).

        weight, grad (N, M) | history (N, 1) | out like weight; history is overwritten

        lr: the learning rate.
        rescale_grad: the factor of grad, applied first.
        clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
        epsilon: added under the root to avoid division by 0.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> weight, history = nd.array([[1, 1]]), nd.zeros((1, 1))
        >>> weight = nd.contrib.group_adagrad_update(weight, nd.array([[1, 7]]), history, lr=1, epsilon=0)
        >>> print(history.asnumpy(), weight.asnumpy().round(3))
        [[25.]] [[ 0.8 -0.4]]
        """

    @staticmethod
    def hawkesll(lda: Symbol, alpha: Symbol | None = None, beta: Symbol | None = None, state: Symbol | None = None, lags: Symbol | None = None, marks: Symbol | None = None, valid_length: Symbol | None = None, max_time: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The log likelihood of events of K independent classes, and the remaining excitation at the end.

        lda (N, K): background rates | alpha, beta (K,): the number of events that one event causes, and the rate at which
        its effect decays | state (N, K): excitation by earlier events | lags (N, T): times since the previous event |
        marks (N, T), int32: classes | valid_length (N,): number of events | max_time (N,): end of observation
        outputs: log likelihood (N,), state at max_time (N, K)

        The rate of class k is lda + alpha · beta · Σ exp(-beta · age) over its earlier events; the likelihood is the sum of
        the logarithms of the rates at the events, less the integral of all rates. It has gradients for lda, alpha and beta.

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Bacry, Mastromatteo, Muzy 2015, Hawkes processes in finance, arXiv:1502.04592.

        One event in 3 seconds that causes no others, at a rate of 2 per second: log 2 - 3 · 2

        >>> lda, alpha, beta, state = nd.array([[2]]), nd.array([0]), nd.array([1]), nd.array([[0]])
        >>> lags, marks, length, end = nd.array([[1]]), nd.zeros((1, 1), dtype="int32"), nd.array([1]), nd.array([3])
        >>> nd.contrib.hawkesll(lda, alpha, beta, state, lags, marks, length, end)[0].asnumpy().round(2)
        array([-5.31], dtype=float32)
        """

    @staticmethod
    def ifft(data: Symbol, compute_size: int = 128, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The real part of the inverse Fourier transform, not divided by d.

        out[j] = Re Σ_k (data[2k] + i · data[2k + 1]) · exp(2πi · j · k / d)
        data (*lead, 2d), as returned by fft | out (*lead, d)

        compute_size: no effect.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.contrib.ifft(nd.contrib.fft(nd.array([[1, 2, 3, 4]]))).asnumpy() / 4
        array([[1., 2., 3., 4.]], dtype=float32)
        """

    @staticmethod
    def index_array(data: Symbol, axes: Shape | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The position of each element, as int64. No gradient.

        data (d1 … dN; only the shape matters) | out (d1 … dN, N)

        axes: the axes whose indices are given; None for all.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.contrib.index_array(nd.zeros((2, 2))).asnumpy().tolist()
        [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]
        """

    @staticmethod
    def index_copy(old_tensor: Symbol, index_vector: Symbol | None = None, new_tensor: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """old_tensor with the rows at index_vector replaced by the rows of new_tensor.

        old_tensor (N, ...) | index_vector (M,) | new_tensor (M, ...) | out (N, ...)

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises OutOfRangeError for an index out of range.

        >>> nd.contrib.index_copy(nd.zeros((3, 2)), nd.array([2, 0]), nd.array([[1, 2], [3, 4]])).asnumpy()
        array([[3., 4.],
               [0., 0.],
               [1., 2.]], dtype=float32)
        """

    @staticmethod
    def interleaved_matmul_encdec_qk(queries: Symbol, keys_values: Symbol | None = None, *, heads: int, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Scores of attention to another sequence: query · keyᵀ / √head_dim for each head.

        queries (length, batch, heads · head_dim) | keys_values (other length, batch, heads · 2 · head_dim) |
        out (batch · heads, length, other length)

        heads: the number of heads along the last axis.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762.

        >>> queries, others = nd.array([[[3]]]), nd.array([[[1, 0]], [[2, 0]]])
        >>> print(nd.contrib.interleaved_matmul_encdec_qk(queries, others, heads=1).asnumpy())
        [[[3. 6.]]]
        """

    @staticmethod
    def interleaved_matmul_encdec_valatt(keys_values: Symbol, attention: Symbol | None = None, *, heads: int, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The weighted values of another sequence: attention · value for each head.

        keys_values (other length, batch, heads · 2 · head_dim) | attention (batch · heads, length, other length) |
        out (length, batch, heads · head_dim)

        heads: the number of heads along the last axis.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762.

        >>> others, weights = nd.array([[[0, 4]], [[0, 8]]]), nd.array([[[0.5, 0.5]]])
        >>> print(nd.contrib.interleaved_matmul_encdec_valatt(others, weights, heads=1).asnumpy())
        [[[6.]]]
        """

    @staticmethod
    def interleaved_matmul_selfatt_qk(queries_keys_values: Symbol, heads: int, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Scores of self-attention: query · keyᵀ / √head_dim for each head.

        queries_keys_values (length, batch, heads · 3 · head_dim) | out (batch · heads, length, length)

        heads: the number of heads along the last axis.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762.

        >>> x = nd.array([[[1, 10, 0]], [[2, 20, 0]]])              # one head of size 1: query, key, value
        >>> print(nd.contrib.interleaved_matmul_selfatt_qk(x, heads=1).asnumpy())
        [[[10. 20.]
          [20. 40.]]]
        """

    @staticmethod
    def interleaved_matmul_selfatt_valatt(queries_keys_values: Symbol, attention: Symbol | None = None, *, heads: int, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The weighted values of self-attention: attention · value for each head.

        queries_keys_values (length, batch, heads · 3 · head_dim) | attention (batch · heads, length, length) |
        out (length, batch, heads · head_dim)

        heads: the number of heads along the last axis.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762.

        >>> x = nd.array([[[0, 0, 4]], [[0, 0, 8]]])                # one head of size 1: query, key, value
        >>> weights = nd.array([[[0.5, 0.5], [0, 1]]])
        >>> print(nd.contrib.interleaved_matmul_selfatt_valatt(x, weights, heads=1).asnumpy().ravel())
        [6. 8.]
        """

    @staticmethod
    def isfinite(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """1 where numpy.isfinite(x), else 0

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.contrib.isfinite(nd.array([1, np.nan, np.inf])).asnumpy()
        array([1., 0., 0.], dtype=float32)
        """

    @staticmethod
    def isinf(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """1 where numpy.isinf(x), else 0

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.contrib.isinf(nd.array([1, np.nan, np.inf])).asnumpy()
        array([0., 0., 1.], dtype=float32)
        """

    @staticmethod
    def isnan(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """1 where numpy.isnan(x), else 0

        data (any shape), x is each of its elements | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.contrib.isnan(nd.array([1, np.nan, np.inf])).asnumpy()
        array([0., 1., 0.], dtype=float32)
        """

    @staticmethod
    def mp_adamw_update(weight: Symbol, grad: Symbol | None = None, mean: Symbol | None = None, var: Symbol | None = None, weight32: Symbol | None = None, rescale_grad: Symbol | None = None, *, lr: Number, beta1: Number = 0.9, beta2: Number = 0.999, epsilon: Number = 1e-08, wd: Number = 0.0, eta: Number, clip_gradient: Number = -1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """`_adamw_update` in mixed precision.

        weight, grad (any shape), float16 | mean, var, weight32 like weight, float32 | rescale_grad (1,), float32
        out like weight; mean, var and weight32 are overwritten

        rescale_grad: an array with the factor of grad, so that g = clip(rescale_grad · grad).
        weight: the weight to update. The result is the new weight; `out=weight` updates it in place.
        weight32: the float32 copy of weight, which the step updates in place.
        lr: the learning rate.
        beta1: the decay rate of the running mean of the gradient.
        beta2: the decay rate of the running mean of the squared gradient.
        epsilon: added to the denominator to avoid division by 0.
        wd: the weight decay.
        eta: the factor of the entire step, for schedules.
        clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> weight32, mean, var, scale = nd.array([1]), nd.zeros(1), nd.zeros(1), nd.ones(1)
        >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
        >>> how = {"beta1": 0.5, "beta2": 0.75, "epsilon": 0, "lr": 1, "wd": 0.5, "eta": 1}
        >>> print(nd.contrib.mp_adamw_update(weight, grad, mean, var, weight32, scale, **how).asnumpy(), weight32.asnumpy())
        [-0.5] [-0.5]
        """

    @staticmethod
    def quadratic(data: Symbol, a: Number = 0.0, b: Number = 0.0, c: Number = 0.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """a · data² + b · data + c, elementwise.

        data (any shape) | out like data

        a, b, c: the coefficients.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.contrib.quadratic(nd.array([0, 1, 2]), a=1, b=2, c=3).asnumpy()
        array([ 3.,  6., 11.], dtype=float32)
        """

    @staticmethod
    def quantize(data: Symbol, min_range: Symbol | None = None, max_range: Symbol | None = None, *, out_type: Literal['int8', 'uint8'] = 'uint8', name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The nearest integers to data · 127 / m (int8) or data · 255 / m (uint8), m = max(|min_range|, |max_range|).

        data (any shape) | min_range, max_range (1,)
        out like data; the range (1,), (1,): -m to m for int8, the given range for uint8

        out_type: int8 or uint8.

        `quantize_v2` replaces this operator; its steps are slightly smaller, m / 127.5, like those of `dequantize`.

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> values, low, high = nd.contrib.quantize(nd.array([-1, 0, 0.5]), nd.array([-1]), nd.array([1]), out_type="int8")
        >>> values.asnumpy(), float(low.asscalar()), float(high.asscalar())
        (array([-127,    0,   64], dtype=int8), -1.0, 1.0)
        """

    @staticmethod
    def quantize_v2(data: Symbol, out_type: Literal['auto', 'int8', 'uint8'] = 'int8', min_calib_range: Number | None = None, max_calib_range: Number | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The nearest integers to data · 127.5 / m (int8) or data · 255.5 / m (uint8), m the largest magnitude.

        data (any shape) | out like data; the range (1,), (1,): -m to m for int8, the given range for uint8

        Integers of the output's type are returned unchanged, with the range in which one step is 1.

        out_type: int8, uint8, or auto, which is uint8 if min_calib_range is at least 0, else int8.
        min_calib_range, max_calib_range: the range, from calibration; without it, the range of data itself.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> values, low, high = nd.contrib.quantize_v2(nd.array([-1, 0, 0.3]))
        >>> values.asnumpy(), float(low.asscalar()), float(high.asscalar())
        (array([-128,    0,   38], dtype=int8), -1.0, 1.0)
        """

    @staticmethod
    def quantized_act(data: Symbol, min_data: Symbol | None = None, max_data: Symbol | None = None, *, act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'], name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """max(data, 0), with the range unchanged.

        data (any shape), int8 or uint8 | min_data, max_data (1,) | out like data; the range (1,), (1,)

        act_type: relu. Other activations raise OpAttributeError, as in MXNet; leave such layers in float32.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> values, low, high = nd.contrib.quantize_v2(nd.array([-1, 1]))
        >>> nd.contrib.quantized_act(values, low, high, act_type="relu")[0].asnumpy()
        array([  0, 127], dtype=int8)
        """

    @staticmethod
    def quantized_batch_norm(data: Symbol, gamma: Symbol | None = None, beta: Symbol | None = None, moving_mean: Symbol | None = None, moving_var: Symbol | None = None, min_data: Symbol | None = None, max_data: Symbol | None = None, *, eps: Number = 0.001, momentum: Number = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: Number | None = None, max_calib_range: Number | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """(data - moving_mean) / √(moving_var + eps) · gamma + beta as int8 with the calibrated range.

        data (..., C, ...) with C at `axis`, int8 or uint8 | gamma, beta, moving_mean, moving_var (C,), float32
        min_data, max_data (1,) | out like data, int8; the range (1,), (1,)

        eps: added to the variance.
        axis: the axis of the channels.
        momentum, use_global_stats, output_mean_var, cudnn_off: no effect.
        fix_gamma: no effect, as in MXNet; gamma is always applied. `quantize_model` writes ones into a fixed gamma.
        min_calib_range, max_calib_range: the range of the output, from calibration. Without it, OpAttributeError is raised.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> data, one, zero = nd.contrib.quantize_v2(nd.array([[1], [-4]])), nd.ones(1), nd.zeros(1)
        >>> values, low, high = nd.contrib.quantized_batch_norm(data[0], one, zero, zero, one, *data[1:], eps=0,
        ...                                                     min_calib_range=-4, max_calib_range=4)
        >>> values.asnumpy().T
        array([[  32, -128]], dtype=int8)
        """

    @staticmethod
    def quantized_concat(*data: Symbol, dim: int = 1, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Arrays joined along axis `dim`, converted to the widest of their ranges.

        data: num_args arrays of int8 or uint8, which agree in all axes but `dim`, then min and max (1,) of each
        out like `concat`, int8 if an input is int8; the range (1,), (1,): the smallest minimum, the largest maximum

        num_args: the number of arrays, without the ranges.
        dim: the axis.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> a, b = nd.contrib.quantize_v2(nd.array([[1]])), nd.contrib.quantize_v2(nd.array([[2]]))
        >>> values, low, high = nd.contrib.quantized_concat(a[0], b[0], *a[1:], *b[1:], num_args=2)
        >>> values.asnumpy().tolist(), float(high.asscalar())
        ([[64, 127]], 2.0)
        """

    @staticmethod
    def quantized_conv(data: Symbol, weight: Symbol | None = None, bias: Symbol | None = None, min_data: Symbol | None = None, max_data: Symbol | None = None, min_weight: Symbol | None = None, max_weight: Symbol | None = None, min_bias: Symbol | None = None, max_bias: Symbol | None = None, *, no_bias: bool = False, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = (), num_filter: int, num_group: int = 1, workspace: int = 1024, cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | None = None, cudnn_off: bool = False, layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """`Convolution` in int32.

        data (N, C, *space), int8 or uint8 | weight (num_filter, C / num_group, *kernel), int8 | bias (num_filter,), int8
        min_data, max_data, min_weight, max_weight, min_bias, max_bias (1,): the ranges; no_bias omits bias and its range
        out  (N, num_filter, *windows), int32; the range (1,), (1,)

        The attributes are those of `Convolution`.

        no_bias: if True, omit bias, min_bias and max_bias.
        kernel: the size of a window along each of 1, 2 or 3 spatial axes.
        stride: the step from one window to the next, one for each axis of kernel; 1 by default.
        dilate: the step from one element of a window to the next along each axis; 1 by default.
        pad: the number of zeros added on both sides of each spatial axis; 0 by default.
        num_filter: the number of filters, which is the number of output channels.
        num_group: the number of groups of channels and filters; each group of filters reads only its own channels.
        workspace: the size in MB of cuDNN's workspace.
        cudnn_tune: how cuDNN's algorithm is chosen: by cuDNN's own ranking ('off'), or by measured time, within the
            workspace ('limited_workspace') or without a limit ('fastest'). None reads MXNET_CUDNN_AUTOTUNE_DEFAULT (0, 1 or
            2; 0 if it is unset).
        cudnn_off: if True, avoid cuDNN on a GPU; elsewhere it has no effect.
        layout: the order of the axes. If it ends in C, channels are the last axis of data, weight and out.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> data, weight = nd.contrib.quantize_v2(nd.array([[[1, 2, 3]]])), nd.contrib.quantize_v2(nd.array([[[1, 1]]]))
        >>> nd.contrib.quantized_conv(data[0], weight[0], *data[1:], *weight[1:], kernel=2, num_filter=1,
        ...                           no_bias=True)[0].asnumpy()
        array([[[16129, 26924]]], dtype=int32)
        """

    @staticmethod
    def quantized_elemwise_add(lhs: Symbol, rhs: Symbol | None = None, lhs_min: Symbol | None = None, lhs_max: Symbol | None = None, rhs_min: Symbol | None = None, rhs_max: Symbol | None = None, *, min_calib_range: Number | None = None, max_calib_range: Number | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """lhs + rhs: int32 with the range of the sum; with a calibrated range uint8 if both are uint8, else int8.

        lhs, rhs (any shape), int8 or uint8 | lhs_min, lhs_max, rhs_min, rhs_max (1,) | out like lhs; the range (1,), (1,)

        min_calib_range, max_calib_range: the range of the output, from calibration; without it, the output is int32.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> a, b = nd.contrib.quantize_v2(nd.array([1, 2])), nd.contrib.quantize_v2(nd.array([3, -1]))
        >>> values, low, high = nd.contrib.quantized_elemwise_add(a[0], b[0], *a[1:], *b[1:], min_calib_range=-4,
        ...                                                       max_calib_range=4)
        >>> print(nd.contrib.dequantize(values, low, high).asnumpy().round(1))
        [4. 1.]
        """

    @staticmethod
    def quantized_elemwise_mul(lhs: Symbol, rhs: Symbol | None = None, lhs_min: Symbol | None = None, lhs_max: Symbol | None = None, rhs_min: Symbol | None = None, rhs_max: Symbol | None = None, *, min_calib_range: Number | None = None, max_calib_range: Number | None = None, enable_float_output: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """lhs · rhs: int32 with the range of int32; with a calibrated range int8, rounded toward zero.

        lhs, rhs (any shape), int8 | lhs_min, lhs_max, rhs_min, rhs_max (1,)
        out like lhs; the range (1,), (1,), absent with enable_float_output

        enable_float_output: if True, return the real numbers as float32, and no range.
        min_calib_range, max_calib_range: the range of the output, from calibration; without it, the output is int32.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> a, b = nd.contrib.quantize_v2(nd.array([1, 2])), nd.contrib.quantize_v2(nd.array([3, -1]))
        >>> nd.contrib.quantized_elemwise_mul(a[0], b[0], *a[1:], *b[1:])[0].asnumpy()
        array([  8128, -5334], dtype=int32)
        """

    @staticmethod
    def quantized_embedding(data: Symbol, weight: Symbol | None = None, min_weight: Symbol | None = None, max_weight: Symbol | None = None, *, input_dim: int, output_dim: int, dtype: DType = 'float32', sparse_grad: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """For each element i of data, row i of weight, with the range of weight.

        data (any shape) | weight (input_dim, output_dim), int8 | min_weight, max_weight (1,)
        out (*data's shape, output_dim), int8; the range (1,), (1,)

        input_dim: the number of rows in weight.
        output_dim: the length of a row.
        dtype, sparse_grad: no effect; `Embedding` has them.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> weight, low, high = nd.contrib.quantize_v2(nd.array([[0, 1], [2, 4]]))
        >>> nd.contrib.quantized_embedding(nd.array([1]), weight, low, high, input_dim=2, output_dim=2)[0].asnumpy()
        array([[ 64, 127]], dtype=int8)
        """

    @staticmethod
    def quantized_flatten(data: Symbol, min_data: Symbol | None = None, max_data: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Joins all axes except the first into one.

        data (N, *rest), int8 or uint8 | min_data, max_data (1,) | out (N, product of rest); the range (1,), (1,)

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> values, low, high = nd.contrib.quantize_v2(nd.ones((2, 3, 4)))
        >>> nd.contrib.quantized_flatten(values, low, high)[0].shape
        (2, 12)
        """

    @staticmethod
    def quantized_fully_connected(data: Symbol, weight: Symbol | None = None, bias: Symbol | None = None, min_data: Symbol | None = None, max_data: Symbol | None = None, min_weight: Symbol | None = None, max_weight: Symbol | None = None, min_bias: Symbol | None = None, max_bias: Symbol | None = None, *, no_bias: bool = False, num_hidden: int, flatten: bool = True, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data · weightᵀ + bias in int32.

        data (N, *rest) if flatten else (*lead, K), int8 or uint8 | weight (num_hidden, K), int8 | bias (num_hidden,), int8
        min_data, max_data, min_weight, max_weight, min_bias, max_bias (1,): the ranges; no_bias omits bias and its range
        out  (N, num_hidden) or (*lead, num_hidden), int32; the range (1,), (1,)

        num_hidden: the number of outputs per row.
        flatten: if True, flatten all axes of data except the first into one; if False, transform only the last axis.
        no_bias: if True, omit bias, min_bias and max_bias.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> data, weight = nd.contrib.quantize_v2(nd.array([[1, 2]])), nd.contrib.quantize_v2(nd.array([[1, 1]]))
        >>> nd.contrib.quantized_fully_connected(data[0], weight[0], *data[1:], *weight[1:], num_hidden=1,
        ...                                      no_bias=True)[0].asnumpy()
        array([[24257]], dtype=int32)
        """

    @staticmethod
    def quantized_pooling(data: Symbol, min_data: Symbol | None = None, max_data: Symbol | None = None, *, kernel: Shape = (), pool_type: Literal['max', 'avg', 'sum', 'lp'] = 'max', global_pool: bool = False, cudnn_off: bool = False, pooling_convention: Literal['valid', 'full', 'same'] = 'valid', stride: Shape = (), pad: Shape = (), p_value: int | None = None, count_include_pad: bool | None = None, layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The largest element (max) or the rounded mean (avg) of each window, with the range unchanged.

        data (N, C, *space), int8 or uint8 | min_data, max_data (1,) | out (N, C, *windows); the range (1,), (1,)

        The windows are those of `Pooling`. pool_type='sum' and 'lp' raise OpAttributeError.

        kernel: the size of a window along each spatial axis; optional with global_pool.
        pool_type: computes the largest element (max), mean (avg), sum, or p-norm (lp) of a window.
        global_pool: if True, use one window that covers the entire space; stride and pad are then ignored.
        cudnn_off: changes nothing; in MXNet True leaves cuDNN out.
        pooling_convention: the number of windows is rounded down (valid), rounded up (full), or ceil(space / stride)
        stride: the step from one window to the next along each axis; 1 by default.
        pad: the padding on both sides of each spatial axis; 0 by default.
        p_value: the p of lp, (Σ xᵖ)^(1/p).
        count_include_pad: if False, divide an average by the number of elements that are not padding.
        layout: the order of the axes; if it ends in C, channels are last.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> values, low, high = nd.contrib.quantize_v2(nd.array([[[1, 2, -4, 0]]]))
        >>> nd.contrib.quantized_pooling(values, low, high, kernel=2, stride=2)[0].asnumpy()
        array([[[64,  0]]], dtype=int8)
        """

    rand_zipfian: Any

    @staticmethod
    def requantize(data: Symbol, min_range: Symbol | None = None, max_range: Symbol | None = None, *, out_type: Literal['auto', 'int8', 'uint8'] = 'int8', min_calib_range: Number | None = None, max_calib_range: Number | None = None, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """int32 with a range converted to int8 or uint8 with a smaller range m: the nearest integers to x · 127 / m or x ·
        255 / m, where x are the real numbers.

        data (any shape), int32 | min_range, max_range (1,)
        out like data; the range (1,), (1,): -m to m for int8, 0 to m for uint8

        out_type: int8, uint8, or auto, which is uint8 if min_calib_range is at least 0, else int8.
        min_calib_range, max_calib_range: the range of the output, from calibration; without it, the range of data itself.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> data, low, high = nd.array([2 ** 30, -2 ** 29], dtype="int32"), nd.array([-4]), nd.array([4])
        >>> values, low, high = nd.contrib.requantize(data, low, high, min_calib_range=-1, max_calib_range=2)
        >>> values.asnumpy(), float(low.asscalar()), float(high.asscalar())
        (array([127, -64], dtype=int8), -2.0, 2.0)
        """

    @staticmethod
    def round_ste(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """round(data), with halves rounded away from zero and a gradient of 1, for training quantized networks.

        data (any shape) | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Bengio, Léonard, Courville 2013, arXiv:1308.3432.

        >>> x = nd.array([1.4, 1.6])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = nd.contrib.round_ste(x)
        >>> y.backward()
        >>> y.asnumpy(), x.grad.asnumpy()
        (array([1., 2.], dtype=float32), array([1., 1.], dtype=float32))
        """

    @staticmethod
    def sign_ste(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """sign(data) with a gradient of 1, for training binary networks.

        data (any shape) | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Bengio, Léonard, Courville 2013, arXiv:1308.3432.

        >>> nd.contrib.sign_ste(nd.array([-0.5, 0, 2])).asnumpy()
        array([-1.,  0.,  1.], dtype=float32)
        """

    @staticmethod
    def weight_only_fully_connected(data: Symbol, weight: Symbol | None = None, scale: Symbol | None = None, bias: Symbol | None = None, *, num_hidden: int, bits: int = 8, group_size: int = 64, no_bias: bool = False, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data · (integers · scale)ᵀ + bias, with one scale for each group of consecutive integers in a row of weight.

        data (*lead, K) | weight (num_hidden, K) int8, or (num_hidden, ⌈K / 2⌉) uint8 | bias like a row of out
        scale (num_hidden, ⌈K / group_size⌉) float32 | out (*lead, num_hidden)

        For each group, the products of data and integers are summed, and the sum is multiplied by its scale.
        `contrib.quantization.quantize_weights` makes such layers from `Dense`. The operator has no gradient: its
        result cannot be used in a loss.

        num_hidden: the number of outputs per row.
        bits: 8, or 4: a byte then holds two integers, each plus 8, the first in its lower bits.
        group_size: the number of integers in a group: 32, 64, 128 and so on. The last group of a row may be shorter.
        no_bias: if True, omit the bias.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> weight, scale = nd.array([[1, -2, 3]], dtype="int8"), nd.array([[0.5]])
        >>> out = nd.contrib.weight_only_fully_connected(nd.array([[1, 1, 2]]), weight, scale, num_hidden=1, no_bias=True)
        >>> round(out.item(), 3)
        2.5
        >>> two_in_a_byte = nd.array([[9 + 16 * 6, 11]], dtype="uint8")         # 1 and -2, 3
        >>> out = nd.contrib.weight_only_fully_connected(nd.array([[1, 1, 2]]), two_in_a_byte, scale, num_hidden=1, bits=4,
        ...                                              no_bias=True)
        >>> round(out.item(), 3)
        2.5
        """

    while_loop: Any

class image:
    @staticmethod
    def adjust_lighting(data: Symbol, alpha: Number | Sequence[float], *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """data + alpha₁ λ₁ v₁ + alpha₂ λ₂ v₂ + alpha₃ λ₃ v₃, where λᵢ and vᵢ are the principal components of ImageNet's
        colors.

        data (H, W, C) or (N, H, W, C), C is 1 or 3 | out like data

        alpha: three numbers.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Source: Krizhevsky, Sutskever and Hinton, NIPS 2012.

        >>> print(nd.image.adjust_lighting(nd.ones((1, 1, 3)), alpha=(0, 0, 0)).asnumpy())
        [[[1. 1. 1.]]]
        """

    @staticmethod
    def crop(data: Symbol, x: int, y: int, width: int, height: int, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The part of an image whose upper left corner is (x, y).

        data (H, W, C) or (N, H, W, C) | out (height, width, C) or (N, height, width, C)

        x: its first column.
        y: its first row.
        width: its number of columns.
        height: its number of rows.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> image = nd.array([[1, 2, 3], [4, 5, 6]]).reshape((2, 3, 1))
        >>> print(nd.image.crop(image, x=1, y=0, width=2, height=1).asnumpy().ravel())
        [2. 3.]
        """

    @staticmethod
    def flip_left_right(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Image with left and right swapped.

        data (H, W, C) or (N, H, W, C) | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> image = nd.array([[1, 2], [3, 4]], dtype="uint8").reshape((2, 2, 1))
        >>> nd.image.flip_left_right(image).asnumpy().ravel().tolist()
        [2, 1, 4, 3]
        """

    @staticmethod
    def flip_top_bottom(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Image with top and bottom swapped.

        data (H, W, C) or (N, H, W, C) | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> image = nd.array([[1, 2], [3, 4]], dtype="uint8").reshape((2, 2, 1))
        >>> nd.image.flip_top_bottom(image).asnumpy().ravel().tolist()
        [3, 4, 1, 2]
        """

    @staticmethod
    def normalize(data: Symbol, mean: Number | Sequence[float] = (0.0, 0.0, 0.0, 0.0), std: Number | Sequence[float] = (1.0, 1.0, 1.0, 1.0), *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """(data - mean) / std for each channel of a tensor.

        data (C, H, W) or (N, C, H, W) | out like data

        mean: one number per channel, or one for all.
        std: one number per channel, or one for all.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> print(nd.image.normalize(nd.array([[[5]], [[8]]]), mean=(1, 2), std=(2, 3)).asnumpy().ravel())
        [2. 2.]
        """

    @staticmethod
    def random_brightness(data: Symbol, min_factor: Number, max_factor: Number, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """All values times a random factor.

        data (H, W, C) or (N, H, W, C), C is 1 or 3 | out like data

        min_factor: the minimum factor.
        max_factor: the maximum factor.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> image = nd.array([[[10, 0, 0], [20, 20, 20]]])
        >>> nd.image.random_brightness(image, min_factor=0.5, max_factor=0.5).asnumpy().round().ravel().astype(int).tolist()
        [5, 0, 0, 10, 10, 10]
        """

    @staticmethod
    def random_color_jitter(data: Symbol, brightness: Number, contrast: Number, saturation: Number, hue: Number, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Random brightness, contrast, saturation and hue in random order; a strength of 0 omits the adjustment.

        data (H, W, C) or (N, H, W, C), C is 1 or 3 | out like data

        Each factor is drawn from max(0, 1 - strength) ... 1 + strength.

        brightness: the strength of random_brightness.
        contrast: the strength of random_contrast.
        saturation: the strength of random_saturation.
        hue: the strength of random_hue.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> image = nd.array([[[10, 20, 30]]])
        >>> print(nd.image.random_color_jitter(image, brightness=0, contrast=0, saturation=0, hue=0).asnumpy())
        [[[10. 20. 30.]]]
        """

    @staticmethod
    def random_contrast(data: Symbol, min_factor: Number, max_factor: Number, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The distance from the image's mean grey, times a random factor.

        data (H, W, C) or (N, H, W, C), C is 1 or 3 | out like data

        min_factor: the minimum factor.
        max_factor: the maximum factor.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> image = nd.array([[[10, 10, 10], [30, 30, 30]]])
        >>> nd.image.random_contrast(image, min_factor=0.5, max_factor=0.5).asnumpy().round().ravel().astype(int).tolist()
        [15, 15, 15, 25, 25, 25]
        """

    @staticmethod
    def random_flip_left_right(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Image with left and right swapped, with probability 1/2.

        data (H, W, C) or (N, H, W, C) | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> image = nd.array([[1, 2], [3, 4]], dtype="uint8").reshape((2, 2, 1))
        >>> nd.image.random_flip_left_right(image).asnumpy().ravel().tolist() in ([1, 2, 3, 4], [2, 1, 4, 3])
        True
        """

    @staticmethod
    def random_flip_top_bottom(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Image with top and bottom swapped, with probability 1/2.

        data (H, W, C) or (N, H, W, C) | out like data

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> image = nd.array([[1, 2], [3, 4]], dtype="uint8").reshape((2, 2, 1))
        >>> nd.image.random_flip_top_bottom(image).asnumpy().ravel().tolist() in ([1, 2, 3, 4], [3, 4, 1, 2])
        True
        """

    @staticmethod
    def random_hue(data: Symbol, min_factor: Number, max_factor: Number, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The color circle rotated by a random factor of full turns: 1 changes nothing.

        data (H, W, C) or (N, H, W, C), C is 1 or 3 | out like data

        min_factor: the minimum factor.
        max_factor: the maximum factor.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> image = nd.array([[[10, 20, 30], [20, 20, 20]]])
        >>> nd.image.random_hue(image, min_factor=0.5, max_factor=0.5).asnumpy().round().ravel().astype(int).tolist()
        [30, 20, 10, 20, 20, 20]
        """

    @staticmethod
    def random_lighting(data: Symbol, alpha_std: Number = 0.05, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """`adjust_lighting` with alpha drawn from a normal distribution.

        data (H, W, C) or (N, H, W, C), C is 1 or 3 | out like data

        alpha_std: the standard deviation.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> print(nd.image.random_lighting(nd.ones((1, 1, 3)), alpha_std=0).asnumpy())
        [[[1. 1. 1.]]]
        """

    @staticmethod
    def random_saturation(data: Symbol, min_factor: Number, max_factor: Number, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The distance from each pixel's grey, times a random factor.

        data (H, W, C) or (N, H, W, C), C is 1 or 3 | out like data

        min_factor: the minimum factor.
        max_factor: the maximum factor.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> image = nd.array([[[100, 0, 0], [20, 20, 20]]])
        >>> nd.image.random_saturation(image, min_factor=0.5, max_factor=0.5).asnumpy().round().ravel().astype(int).tolist()
        [65, 15, 15, 20, 20, 20]
        """

    @staticmethod
    def resize(data: Symbol, size: Shape = (), keep_ratio: bool = False, interp: int = 1, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """An image resized to a different number of rows and columns.

        data (H, W, C) or (N, H, W, C) | out (h, w, C) or (N, h, w, C)

        size: (w, h), or one number for both; with keep_ratio, one number is the length of the shorter side.
        keep_ratio: if True and size is one number, keep the aspect ratio.
        interp: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos, 9 depends on the size.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises ArgumentError for a size that is not positive, and for interp=10, which is a random choice.

        >>> nd.image.resize(nd.zeros((4, 8, 3)), size=2, keep_ratio=True).shape
        (2, 4, 3)
        """

    @staticmethod
    def to_tensor(data: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """An image as a tensor of values from 0 to 1: its elements divided by 255, with the channels first.

        data (H, W, C) or (N, H, W, C), of 0 ... 255 | out (C, H, W) or (N, C, H, W), float32

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> print(nd.image.to_tensor(nd.array([[[0, 255]]], dtype="uint8")).asnumpy().ravel())
        [0. 1.]
        """

class linalg:
    @staticmethod
    def det(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The determinant of each matrix.

        A (*batch, n, n) | out (*batch,), (1,) for a single matrix

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.det(nd.array([[3, 1], [0, 2]])).asnumpy().round(2)
        array([6.], dtype=float32)
        """

    @staticmethod
    def extractdiag(A: Symbol, offset: int = 0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """A diagonal of square matrices.

        A (*batch, n, n) | out (*batch, n - |offset|)

        offset: 0 is the main diagonal, 1 the one above it, -1 the one below.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.extractdiag(nd.array([[1, 2], [3, 4]])).asnumpy()
        array([1., 4.], dtype=float32)
        """

    @staticmethod
    def extracttrian(A: Symbol, offset: int = 0, lower: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """A triangle of square matrices as vectors: lower triangles row by row, upper triangles column by column.

        A (*batch, n, n) | out (*batch, k · (k + 1) / 2) with k = n - |offset|

        offset: the diagonal that bounds the triangle; 1, 2, ... select it and everything above, -1, -2, ... it and
            everything below.
        lower: if offset is 0, True selects the lower triangle, False the upper one.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.extracttrian(nd.array([[1, 2], [3, 4]])).asnumpy()
        array([1., 3., 4.], dtype=float32)
        """

    @staticmethod
    def gelqf(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """A = L · Q, with L lower triangular and the rows of Q orthonormal.

        A (*batch, m, n) with m <= n | outputs: Q (*batch, m, n), L (*batch, m, m)

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> A = nd.array([[3, 4]])
        >>> Q, L = nd.linalg.gelqf(A)
        >>> nd.dot(L, Q).asnumpy().round(2), nd.dot(Q, Q, transpose_b=True).asnumpy().round(2)
        (array([[3., 4.]], dtype=float32), array([[1.]], dtype=float32))
        """

    @staticmethod
    def gemm(A: Symbol, B: Symbol | None = None, C: Symbol | None = None, *, transpose_a: bool = False, transpose_b: bool = False, alpha: Number = 1.0, beta: Number = 1.0, axis: int = -2, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """alpha · op(A) · op(B) + beta · C.

        A (*batch, m, k) | B (*batch, k, n) | C (*batch, m, n) | out like C

        transpose_a, transpose_b: if True, transpose the first or the second factor; op(A) is A or Aᵀ.
        alpha: the factor of the product.
        beta: the factor of C.
        axis: the axis of the rows; the columns are the last axis.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.gemm(nd.array([[1, 2]]), nd.array([[3], [4]]), nd.array([[5]]), beta=10).asnumpy()
        array([[61.]], dtype=float32)
        """

    @staticmethod
    def gemm2(A: Symbol, B: Symbol | None = None, *, transpose_a: bool = False, transpose_b: bool = False, alpha: Number = 1.0, axis: int = -2, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """alpha · op(A) · op(B).

        A (*batch, m, k) | B (*batch, k, n) | out (*batch, m, n)

        transpose_a, transpose_b: if True, transpose the first or the second factor; op(A) is A or Aᵀ.
        alpha: the factor of the product.
        axis: the axis of the rows; the columns are the last axis.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.gemm2(nd.array([[1, 2]]), nd.array([[3, 4]]), transpose_b=True, alpha=10).asnumpy()
        array([[110.]], dtype=float32)
        """

    @staticmethod
    def inner(A: Symbol, B: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The sum of the elementwise product of A and B. A and B (*batch, n, m) | out (*batch,), (1,) for a single pair

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.inner(nd.array([[1, 2], [3, 4]]), nd.array([[1, 0], [0, 1]])).asnumpy()
        array([5.], dtype=float32)
        """

    @staticmethod
    def inverse(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """A⁻¹, the inverse of each matrix.

        A (*batch, n, n) | out like A

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises ArgumentError for a singular matrix.

        >>> nd.linalg.inverse(nd.array([[1, 1], [1, 2]])).asnumpy().round(2)
        array([[ 2., -1.],
               [-1.,  1.]], dtype=float32)
        """

    @staticmethod
    def makediag(A: Symbol, offset: int = 0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Square matrices with A on a diagonal and zeros elsewhere.

        A (*batch, n) | out (*batch, n + |offset|, n + |offset|)

        offset: 0 is the main diagonal, 1 the one above it, -1 the one below.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.makediag(nd.array([1, 4])).asnumpy()
        array([[1., 0.],
               [0., 4.]], dtype=float32)
        """

    @staticmethod
    def maketrian(A: Symbol, offset: int = 0, lower: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Square matrices with the vectors of A in a triangle, in extracttrian's order, and zeros elsewhere.

        A (*batch, k · (k + 1) / 2) | out (*batch, n, n) with n = k + |offset|

        offset: the diagonal that bounds the triangle; 1, 2, ... select it and everything above, -1, -2, ... it and
            everything below.
        lower: if offset is 0, True selects the lower triangle, False the upper one.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.maketrian(nd.array([1, 3, 4])).asnumpy()
        array([[1., 0.],
               [3., 4.]], dtype=float32)
        """

    @staticmethod
    def potrf(A: Symbol, lower: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The Cholesky factor: the lower triangular L with A = L · Lᵀ, for a symmetric positive definite A.

        A (*batch, n, n), only one triangle of which is read | out like A

        lower: False for the upper triangular U = Lᵀ with A = Uᵀ · U, computed from the upper triangle of A.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises ArgumentError for a matrix that is not positive definite.

        >>> nd.linalg.potrf(nd.array([[4, 2], [2, 5]])).asnumpy()
        array([[2., 0.],
               [1., 2.]], dtype=float32)
        """

    @staticmethod
    def potri(A: Symbol, lower: bool = True, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """(L · Lᵀ)⁻¹ for the lower triangular A = L from potrf.

        A (*batch, n, n) | out like A

        lower: False for an upper triangular A = U: (Uᵀ · U)⁻¹.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.potri(nd.array([[1, 0], [1, 1]])).asnumpy().round(2)
        array([[ 2., -1.],
               [-1.,  1.]], dtype=float32)
        """

    @staticmethod
    def scale(A: Symbol, s: Symbol | None = None, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Multiplies each matrix by its own factor. A (*batch, n, m) | s (*batch,), (1,) for a single matrix | out like A

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.scale(nd.array([[1, 2], [3, 4]]), nd.array([10])).asnumpy()
        array([[10., 20.],
               [30., 40.]], dtype=float32)
        """

    @staticmethod
    def slogdet(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The determinant's sign, and the logarithm of its absolute value.

        A (*batch, n, n) | two arrays (*batch,), (1,) for a single matrix

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> sign, log = nd.linalg.slogdet(nd.array([[0, 1], [1, 0]]))
        >>> sign.asnumpy(), log.asnumpy()
        (array([-1.], dtype=float32), array([0.], dtype=float32))
        """

    @staticmethod
    def sumlogdiag(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The sum of the logarithms of the diagonal; for a factor from potrf, half the logarithm of the determinant.

        A (*batch, n, n) | out (*batch,), (1,) for a single matrix

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.sumlogdiag(nd.array([[1, 5], [5, 10]])).asnumpy().round(2)
        array([2.3], dtype=float32)
        """

    @staticmethod
    def svd(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Singular values L in descending order, and singular vectors: A = U · diag(L) · V, with k = min(m, n) of them.

        A (*batch, m, n) | outputs: U (*batch, m, k), L (*batch, k), V (*batch, k, n)

        The entry of largest magnitude in each row of V is positive. Gradients of U and V require distinct singular values
        other than 0; the gradient of L does not.

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> U, L, V = nd._internal._linalg_svd(nd.array([[3, 0, 0], [0, 2, 0]]))
        >>> L.asnumpy().round(2)
        array([3., 2.], dtype=float32)
        """

    @staticmethod
    def syevd(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """Eigenvectors as rows of U and eigenvalues L in ascending order: A = Uᵀ · diag(L) · U, for a symmetric A.

        A (*batch, n, n) | outputs: U (*batch, n, n), L (*batch, n)

        The entry of largest magnitude in each eigenvector is positive. Gradients require distinct eigenvalues.

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> U, L = nd.linalg.syevd(nd.array([[2, 1], [1, 2]]))
        >>> L.asnumpy().round(2)
        array([1., 3.], dtype=float32)
        """

    @staticmethod
    def syrk(A: Symbol, transpose: bool = False, alpha: Number = 1.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """alpha · A · Aᵀ.

        A (*batch, m, n) | out (*batch, m, m)

        transpose: True for alpha · Aᵀ · A, (*batch, n, n).
        alpha: the factor of the product.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.syrk(nd.array([[1, 2], [3, 4]])).asnumpy()
        array([[ 5., 11.],
               [11., 25.]], dtype=float32)
        """

    @staticmethod
    def transpose(A: Symbol, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The last two axes exchanged. A (*batch, n, m) | out (*batch, m, n)

        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.transpose(nd.array([[1, 2, 3]])).shape
        (3, 1)
        """

    @staticmethod
    def triangle(A: Symbol, lower: bool = True, diagonal: Number = 1.0, *, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """A triangle of each matrix, with zeros elsewhere. This operator is its own adjoint. A (*batch, n, n) | out like A

        lower: True for the lower triangle.
        diagonal: the factor of the diagonal.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.triangle(nd.array([[1, 2], [3, 4]]), diagonal=0.5).asnumpy()
        array([[0.5, 0. ],
               [3. , 2. ]], dtype=float32)
        """

    @staticmethod
    def trmm(A: Symbol, B: Symbol | None = None, *, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: Number = 1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """alpha · op(A) · B, or alpha · B · op(A) with rightside=True, for a triangular A.

        A (*batch, n, n) | B (*batch, n, m), with rightside=True (*batch, m, n) | out like B

        transpose: if True, use Aᵀ for op(A); if False, use A.
        rightside: if True, put op(A) on the right.
        lower: if True, use the lower triangle of A, otherwise the upper one.
        alpha: the factor of B.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        >>> nd.linalg.trmm(nd.array([[1, 0], [2, 3]]), nd.array([[1], [10]])).asnumpy()
        array([[ 1.],
               [32.]], dtype=float32)
        """

    @staticmethod
    def trsm(A: Symbol, B: Symbol | None = None, *, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: Number = 1.0, name: str | None = None, attr: dict[str, str] | None = None) -> Symbol:
        """The solution X of op(A) · X = alpha · B, or of X · op(A) = alpha · B with rightside=True, for a triangular A.

        A (*batch, n, n) | B (*batch, n, m), with rightside=True (*batch, m, n) | out like B

        transpose: if True, use Aᵀ for op(A); if False, use A.
        rightside: if True, put op(A) on the right.
        lower: if True, use the lower triangle of A, otherwise the upper one.
        alpha: the factor of B.
        name: the name of the node. Without it the operator's name and a number make one.
        attr: attributes of your own for the node, such as {'lr_mult': '0.1'}.

        Raises ArgumentError for a zero on the diagonal of A.

        >>> nd.linalg.trsm(nd.array([[1, 0], [2, 4]]), nd.array([[1], [10]])).asnumpy()
        array([[1.],
               [2.]], dtype=float32)
        """

"""Written by minigluon.stubs. Do not edit."""

from typing import Any, Literal

from ..context import Context
from . import arithmetic as arithmetic, contributed as contributed, control as control, creation as creation, dlpack as dlpack, ndarray as ndarray, random as random, saving as saving, sparse as sparse
from .arithmetic import *
from .arithmetic import _copyto as _copyto, _Embedding_grad as _Embedding_grad, _sum_like as _sum_like
from .creation import *
from .creation import _stand_in as _stand_in
from .custom import custom_function as custom_function
from .dlpack import *
from .indexing import add_indexing as add_indexing
from .methods import add_methods as add_methods
from .ndarray import NDArray as NDArray, invoke as invoke
from .register import make_function as make_function
from .saving import *
from .sparse import cast_storage as cast_storage

_internal: Any
contrib: Any
image: Any
linalg: Any
op: Any

def Activation(data: NDArray, act_type: Literal['relu', 'sigmoid', 'tanh', 'softrelu', 'softsign'], *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """act_type(data) element by element."""

def BatchNorm(data: NDArray, gamma: NDArray | None = None, beta: NDArray | None = None, moving_mean: NDArray | None = None, moving_var: NDArray | None = None, *, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False, min_calib_range: float | None = None, max_calib_range: float | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """Bring each channel to mean 0 and variance 1, then out = normalized · gamma + beta."""

def BatchNorm_v1(data: NDArray, gamma: NDArray | None = None, beta: NDArray | None = None, moving_mean: NDArray | None = None, moving_var: NDArray | None = None, *, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """`BatchNorm` along axis 1, whose further outputs are mean and variance, as they were used."""

def BilinearSampler(data: NDArray, grid: NDArray | None = None, *, cudnn_off: bool | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data at the points of grid, by bilinear interpolation; what lies beyond the edges counts as zero."""

def BlockGrad(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """x; no gradient passes"""

def CTCLoss(data: NDArray, label: NDArray | None = None, data_lengths: NDArray | None = None, label_lengths: NDArray | None = None, *, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """-log of the probability of all alignments of data with label."""

def Cast(data: NDArray, dtype: str | type, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data in the element type `dtype`. Floats are truncated to integers; the gradient has the type of data."""

def Concat(*data: NDArray, dim: int = 1, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The arrays one after the other along axis `dim`. All other dimensions must agree."""

def Convolution(data: NDArray, weight: NDArray | None = None, bias: NDArray | None = None, *, kernel: int | tuple[int, ...], stride: int | tuple[int, ...] = (), dilate: int | tuple[int, ...] = (), pad: int | tuple[int, ...] = (), num_filter: int, num_group: int = 1, workspace: int = 1024, no_bias: bool = False, cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | None = None, cudnn_off: bool = False, layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Slide num_filter filters over 1, 2 or 3 axes of space."""

def Convolution_v1(data: NDArray, weight: NDArray | None = None, bias: NDArray | None = None, *, kernel: int | tuple[int, ...], stride: int | tuple[int, ...] = (), dilate: int | tuple[int, ...] = (), pad: int | tuple[int, ...] = (), num_filter: int, num_group: int = 1, workspace: int = 1024, no_bias: bool = False, cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | None = None, cudnn_off: bool = False, layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Slide num_filter filters over 1, 2 or 3 axes of space."""

def Correlation(data1: NDArray, data2: NDArray | None = None, *, kernel_size: int = 1, max_displacement: int = 1, stride1: int = 1, stride2: int = 1, pad_size: int = 0, is_multiply: bool = True, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """For each place and each displacement, the mean product of two patches."""

def Crop(*data: NDArray, offset: int | tuple[int, ...] = (0, 0), h_w: int | tuple[int, ...] = (0, 0), center_crop: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """A window of the plane, (N, C, H, W): as large as the second input's, or as h_w; at `offset`, or in the middle."""

def Deconvolution(data: NDArray, weight: NDArray | None = None, bias: NDArray | None = None, *, kernel: int | tuple[int, ...], stride: int | tuple[int, ...] = (), dilate: int | tuple[int, ...] = (), pad: int | tuple[int, ...] = (), adj: int | tuple[int, ...] = (), target_shape: int | tuple[int, ...] = (), num_filter: int, num_group: int = 1, workspace: int = 512, no_bias: bool = True, cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | None = None, cudnn_off: bool = False, layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The transpose of a convolution: each element of data adds its multiple of a filter to a window of out."""

def Dropout(data: NDArray, p: float = 0.5, mode: Literal['training', 'always'] = 'training', axes: int | tuple[int, ...] = (), cudnn_off: bool | None = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Set each element to 0 with probability p and multiply the rest by 1 / (1 - p), while training."""

def ElementWiseSum(*args: NDArray, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sum of any number of arrays of one shape."""

def Embedding(data: NDArray, weight: NDArray | None = None, *, input_dim: int, output_dim: int, dtype: str | type = 'float32', sparse_grad: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Row number data[i] of weight for each element; indices out of range are clipped."""

def Flatten(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data (N, ...) | out (N, the rest as one axis)"""

def FullyConnected(data: NDArray, weight: NDArray | None = None, bias: NDArray | None = None, *, num_hidden: int, no_bias: bool = False, flatten: bool = True, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """out = data · weightᵀ + bias."""

def GridGenerator(data: NDArray, *, transform_type: Literal['affine', 'warp'], target_shape: int | tuple[int, ...] = (0, 0), out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The grid for BilinearSampler."""

def GroupNorm(data: NDArray, gamma: NDArray | None = None, beta: NDArray | None = None, *, num_groups: int = 1, eps: float = 1e-05, output_mean_var: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """Bring each of num_groups groups of channels of each item to mean 0 and variance 1, then times gamma plus beta."""

def InstanceNorm(data: NDArray, gamma: NDArray | None = None, beta: NDArray | None = None, *, eps: float = 0.001, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Bring each channel of each item to mean 0 and variance 1, then times gamma plus beta."""

def L2Normalization(data: NDArray, eps: float = 1e-10, mode: Literal['channel', 'instance', 'spatial'] = 'instance', *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data / √(Σ data² + eps), the sum over an item (instance), the channels (channel) or the space (spatial)."""

def LRN(data: NDArray, *, alpha: float = 0.0001, beta: float = 0.75, knorm: float = 2.0, nsize: int, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data · (knorm + alpha / nsize · Σ data²)^-beta, the sum over a channel and (nsize - 1) // 2 on either side."""

def LayerNorm(data: NDArray, gamma: NDArray | None = None, beta: NDArray | None = None, *, axis: int = -1, eps: float = 1e-05, output_mean_var: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """Bring the elements along `axis` to mean 0 and variance 1, then times gamma plus beta."""

def LeakyReLU(data: NDArray, gamma: NDArray | None = None, *, act_type: Literal['elu', 'gelu', 'leaky', 'prelu', 'rrelu', 'selu'] = 'leaky', slope: float = 0.25, lower_bound: float = 0.125, upper_bound: float = 0.334, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data where it is positive; below that"""

def LinearRegressionOutput(data: NDArray, label: NDArray | None = None, *, grad_scale: float = 1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """out = data; the gradient is that of the squared error, (out - label) / (elements of an item)."""

def LogisticRegressionOutput(data: NDArray, label: NDArray | None = None, *, grad_scale: float = 1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """out = sigmoid(data); the gradient is that of the cross entropy, (out - label) / (elements of an item)."""

def MAERegressionOutput(data: NDArray, label: NDArray | None = None, *, grad_scale: float = 1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """out = data; the gradient is that of the absolute error, sign(out - label) / (elements of an item)."""

def MakeLoss(data: NDArray, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: Literal['batch', 'null', 'valid'] = 'null', *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data, the end of a graph: its gradient is grad_scale, whatever head gradient comes in."""

def Pad(data: NDArray, *, mode: Literal['constant', 'edge', 'reflect'], pad_width: int | tuple[int, ...], constant_value: float = 0.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Elements added around the array. pad_width: (before, after) for each axis, all in one tuple."""

def Pooling(data: NDArray, kernel: int | tuple[int, ...] = (), pool_type: Literal['max', 'avg', 'sum', 'lp'] = 'max', global_pool: bool = False, cudnn_off: bool = False, pooling_convention: Literal['valid', 'full', 'same'] = 'valid', stride: int | tuple[int, ...] = (), pad: int | tuple[int, ...] = (), p_value: int | None = None, count_include_pad: bool | None = None, layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The largest element (max), mean (avg), sum or p-norm (lp) of each window."""

def Pooling_v1(data: NDArray, kernel: int | tuple[int, ...] = (), pool_type: Literal['max', 'avg', 'sum'] = 'max', global_pool: bool = False, pooling_convention: Literal['valid', 'full'] = 'valid', stride: int | tuple[int, ...] = (), pad: int | tuple[int, ...] = (), *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The largest element (max), mean (avg) or sum of each window of images, in which the padding counts as zeros."""

def RNN(data: NDArray, parameters: NDArray | None = None, state: NDArray | None = None, state_cell: NDArray | None = None, sequence_length: NDArray | None = None, *, state_size: int, num_layers: int, bidirectional: bool = False, mode: Literal['rnn_relu', 'rnn_tanh', 'lstm', 'gru'], p: float = 0.0, state_outputs: bool = False, projection_size: int | None = None, lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None, lstm_state_clip_nan: bool = False, use_sequence_length: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """A stack of recurrent layers over a sequence. mode: rnn_relu, rnn_tanh, lstm, gru; formulas in `rnn_cells`."""

def ROIPooling(data: NDArray, rois: NDArray | None = None, *, pooled_size: int | tuple[int, ...], spatial_scale: float, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Each region divided into bins, and of each bin the maximum; 0 for a bin without elements."""

def Reshape(data: NDArray, shape: int | tuple[int, ...] = (), reverse: bool = False, target_shape: int | tuple[int, ...] = (), keep_highest: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The same elements in another shape."""

def SVMOutput(data: NDArray, label: NDArray | None = None, *, margin: float = 1.0, regularization_coefficient: float = 1.0, use_linear: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data, unchanged; the gradient is that of a hinge loss for each class against all others."""

def SequenceLast(data: NDArray, sequence_length: NDArray | None = None, *, use_sequence_length: bool = False, axis: int = 0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The last element of each sequence. data (T, N, ...) | out (N, ...). A length of 0 counts as 1."""

def SequenceMask(data: NDArray, sequence_length: NDArray | None = None, *, use_sequence_length: bool = False, value: float = 0.0, axis: int = 0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The elements after the end of each sequence set to `value`. Without use_sequence_length: a copy."""

def SequenceReverse(data: NDArray, sequence_length: NDArray | None = None, *, use_sequence_length: bool = False, axis: int = 0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Each sequence backwards; the elements after its end stay where they are."""

def SliceChannel(data: NDArray, *, num_outputs: int, axis: int = 1, squeeze_axis: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """`num_outputs` equal parts along axis `axis`; squeeze_axis=True leaves the axis out where the parts have length 1."""

def Softmax(data: NDArray, label: NDArray | None = None, *, grad_scale: float = 1.0, ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: Literal['batch', 'null', 'valid'] = 'null', out_grad: bool = False, smooth_alpha: float = 0.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """softmax(data); the gradient is that of the cross entropy with label: softmax(data) - one_hot(label)."""

def SoftmaxActivation(data: NDArray, mode: Literal['instance', 'channel'] = 'instance', *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """softmax over the last axis (mode 'instance'), or over the channels, axis 1 (mode 'channel')."""

def SoftmaxOutput(data: NDArray, label: NDArray | None = None, *, grad_scale: float = 1.0, ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False, preserve_shape: bool = False, normalization: Literal['batch', 'null', 'valid'] = 'null', out_grad: bool = False, smooth_alpha: float = 0.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """softmax(data); the gradient is that of the cross entropy with label: softmax(data) - one_hot(label)."""

def SpatialTransformer(data: NDArray, loc: NDArray | None = None, *, target_shape: int | tuple[int, ...] = (0, 0), transform_type: Literal['affine'], sampler_type: Literal['bilinear'], cudnn_off: bool | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data through an affine grid: GridGenerator of loc, then BilinearSampler."""

def SwapAxis(data: NDArray, dim1: int = 0, dim2: int = 0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Axes dim1 and dim2 change places."""

def UpSampling(*data: NDArray, scale: int, num_filter: int = 0, sample_type: Literal['bilinear', 'nearest'], multi_input_mode: Literal['concat', 'sum'] = 'concat', workspace: int = 512, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Make the two axes of space `scale` times as long."""

def abs(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """|x|"""

def adam_update(weight: NDArray, grad: NDArray | None = None, mean: NDArray | None = None, var: NDArray | None = None, *, lr: float, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """d = clip(rescale_grad · grad + wd · weight); mean and var are running means of d and d² with beta1 and beta2; weight - lr · mean / (√var + epsilon). The caller puts the bias correction into lr."""

def add_n(*args: NDArray, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sum of any number of arrays of one shape."""

def all_finite(data: NDArray, init_output: bool = True, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 if no element is infinite or NaN, else 0; float32 of shape (1,). init_output makes no difference."""

def amp_cast(data: NDArray, dtype: str | type, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Cast for mixed precision: floats become `dtype`, every other type stays."""

def amp_multicast(*data: NDArray, num_outputs: int, cast_narrow: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """All inputs in the widest of their types, or in the narrowest with cast_narrow=True. As many outputs as inputs."""

def arccos(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """inverse cosine, in radians"""

def arccosh(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """inverse hyperbolic cosine"""

def arcsin(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """inverse sine, in radians"""

def arcsinh(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """inverse hyperbolic sine"""

def arctan(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """inverse tangent, in radians"""

def arctanh(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """inverse hyperbolic tangent"""

def argmax(data: NDArray, axis: int | None = None, keepdims: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The position of the largest element along `axis`, in the dtype of data; in the flattened array for None."""

def argmax_channel(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """argmax along axis 1: data (N, C, ...), out (N, ...) in the dtype of data."""

def argmin(data: NDArray, axis: int | None = None, keepdims: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The position of the smallest element along `axis`, in the dtype of data; in the flattened array for None."""

def argsort(data: NDArray, axis: int | None = -1, is_ascend: bool = True, dtype: str | type = 'float32', *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Positions along `axis` in the order of their elements, as `dtype`. No gradient."""

def batch_dot(lhs: NDArray, rhs: NDArray | None = None, *, transpose_a: bool = False, transpose_b: bool = False, forward_stype: str | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """op(lhs) · op(rhs) of each pair of matrices: (*batch, m, k) and (*batch, k, n) give (*batch, m, n)."""

def batch_take(a: NDArray, indices: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """a[i, indices[i]] for each row i; indices are clipped. a (N, M) | indices (N,) | out (N,)"""

def broadcast_add(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs + rhs, with broadcasting"""

def broadcast_axes(data: NDArray, axis: int | tuple[int, ...] = (), size: int | tuple[int, ...] = (), *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Stretch the axes `axis`, of length 1, to the lengths `size`."""

def broadcast_axis(data: NDArray, axis: int | tuple[int, ...] = (), size: int | tuple[int, ...] = (), *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Stretch the axes `axis`, of length 1, to the lengths `size`."""

def broadcast_div(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs / rhs, with broadcasting"""

def broadcast_equal(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where lhs is equal to rhs, else 0, in the inputs' dtype, with broadcasting"""

def broadcast_greater(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where lhs is greater than rhs, else 0, in the inputs' dtype, with broadcasting"""

def broadcast_greater_equal(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where lhs is greater than or equal to rhs, else 0, in the inputs' dtype, with broadcasting"""

def broadcast_hypot(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """√(lhs² + rhs²), with broadcasting"""

def broadcast_lesser(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where lhs is less than rhs, else 0, in the inputs' dtype, with broadcasting"""

def broadcast_lesser_equal(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where lhs is less than or equal to rhs, else 0, in the inputs' dtype, with broadcasting"""

def broadcast_like(lhs: NDArray, rhs: NDArray | None = None, *, lhs_axes: int | tuple[int, ...] | None = None, rhs_axes: int | tuple[int, ...] | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Stretch axes of length 1 of lhs to the shape of rhs. With axes given, only those: lhs_axes[i] ↔ rhs_axes[i]."""

def broadcast_logical_and(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where neither lhs nor rhs is 0, else 0, in the inputs' dtype, with broadcasting"""

def broadcast_logical_or(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where lhs or rhs is not 0, else 0, in the inputs' dtype, with broadcasting"""

def broadcast_logical_xor(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where just one of lhs and rhs is not 0, else 0, in the inputs' dtype, with broadcasting"""

def broadcast_maximum(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the larger of lhs and rhs; at a tie the gradient goes to lhs, with broadcasting"""

def broadcast_minimum(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the smaller of lhs and rhs; at a tie the gradient goes to lhs, with broadcasting"""

def broadcast_minus(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs - rhs, with broadcasting"""

def broadcast_mod(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the remainder of lhs / rhs, with the sign of rhs, 0 where rhs is 0, with broadcasting"""

def broadcast_mul(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs · rhs, with broadcasting"""

def broadcast_not_equal(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where lhs is not equal to rhs, else 0, in the inputs' dtype, with broadcasting"""

def broadcast_plus(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs + rhs, with broadcasting"""

def broadcast_power(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs to the power of rhs, with broadcasting"""

def broadcast_sub(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs - rhs, with broadcasting"""

def broadcast_to(data: NDArray, shape: int | tuple[int, ...] = (), *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Stretch axes of length 1 to `shape`, where 0 keeps an axis. New axes may come in front."""

def cast(data: NDArray, dtype: str | type, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data in the element type `dtype`. Floats are truncated to integers; the gradient has the type of data."""

def cbrt(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """∛x"""

def ceil(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the next whole number above"""

def choose_element_0index(data: NDArray, index: NDArray | None = None, *, axis: int | None = -1, keepdims: bool = False, mode: Literal['clip', 'wrap'] = 'clip', out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """One element along axis `axis` for each position of the other axes."""

def clip(data: NDArray, a_min: float, a_max: float, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data limited to [a_min, a_max]; NaN stays NaN. The gradient passes where data is within, bounds included."""

def col2im(data: NDArray, *, output_size: int | tuple[int, ...], kernel: int | tuple[int, ...], stride: int | tuple[int, ...] = (), dilate: int | tuple[int, ...] = (), pad: int | tuple[int, ...] = (), out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The columns of im2col added up in a plane of output_size; where windows overlap, elements are summed."""

def concat(*data: NDArray, dim: int = 1, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The arrays one after the other along axis `dim`. All other dimensions must agree."""

def cos(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """cosine, x in radians"""

def cosh(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """hyperbolic cosine"""

def crop(data: NDArray, *, begin: tuple[int | None, ...], end: tuple[int | None, ...], step: tuple[int | None, ...] = (), out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data[begin[0]:end[0]:step[0], ...]. None and negative numbers as in Python, axes not named are kept whole."""

def ctc_loss(data: NDArray, label: NDArray | None = None, data_lengths: NDArray | None = None, label_lengths: NDArray | None = None, *, use_data_lengths: bool = False, use_label_lengths: bool = False, blank_label: Literal['first', 'last'] = 'first', out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """-log of the probability of all alignments of data with label."""

def cumsum(a: NDArray, axis: int | None = None, dtype: Literal['float16', 'float32', 'float64', 'int32', 'int64', 'int8'] | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Running sums along `axis`, over the flattened array when axis is None; in the type `dtype` if it is given."""

def degrees(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """radians to degrees"""

def depth_to_space(data: NDArray, block_size: int, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Blocks of channels spread over the plane. data (N, C·b², H, W) | out (N, C, H·b, W·b), b = block_size"""

def diag(data: NDArray, k: int = 0, axis1: int = 0, axis2: int = 1, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The k-th diagonal of the planes of axis1 and axis2, as the last axis; of a vector, the matrix that has it there."""

def dot(lhs: NDArray, rhs: NDArray | None = None, *, transpose_a: bool = False, transpose_b: bool = False, forward_stype: str | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Product over the last axis of lhs and the first of rhs; (1,) for two vectors."""

def elemwise_add(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs + rhs (equal shapes)"""

def elemwise_div(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs / rhs (equal shapes)"""

def elemwise_mul(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs · rhs (equal shapes)"""

def elemwise_sub(lhs: NDArray, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs - rhs (equal shapes)"""

def erf(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the error function"""

def erfinv(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the inverse of the error function"""

def exp(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """eˣ"""

def expand_dims(data: NDArray, axis: int, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """A new axis of length 1 before axis `axis`; -1 puts it at the end."""

def expm1(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """eˣ - 1, accurate near 0"""

def fill_element_0index(lhs: NDArray, mhs: NDArray | None = None, rhs: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lhs with element rhs[i] of each row i replaced by mhs[i]. lhs (N, M) | mhs, rhs (N,) | out (N, M)"""

def fix(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the whole number towards 0"""

def flatten(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data (N, ...) | out (N, the rest as one axis)"""

def flip(data: NDArray, axis: int | tuple[int, ...], *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The elements in reverse order along each of the axes `axis`."""

def floor(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the next whole number below"""

def ftml_update(weight: NDArray, grad: NDArray | None = None, d: NDArray | None = None, v: NDArray | None = None, z: NDArray | None = None, *, lr: float, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-08, t: int, wd: float = 0.0, rescale_grad: float = 1.0, clip_grad: float = -1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Follow the moving leader at step t; epsilon and the decay as in Adam."""

def ftrl_update(weight: NDArray, grad: NDArray | None = None, z: NDArray | None = None, n: NDArray | None = None, *, lr: float, lamda1: float = 0.01, beta: float = 1.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """z += g - (√(n + g²) - √n) · weight / lr; n += g²; the new weight is 0 where |z| <= lamda1, otherwise (sign(z) · lamda1 - z) / ((beta + √n) / lr + wd)."""

def gamma(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the gamma function Γ(x)"""

def gammaln(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """log |Γ(x)|"""

def gather_nd(data: NDArray, indices: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data[indices[0], indices[1], ...]: each row of indices numbers one axis of data."""

def hard_sigmoid(data: NDArray, alpha: float = 0.2, beta: float = 0.5, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """max(0, min(1, alpha · data + beta)). The gradient is 0 at both bounds."""

def identity(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """a copy"""

def im2col(data: NDArray, *, kernel: int | tuple[int, ...], stride: int | tuple[int, ...] = (), dilate: int | tuple[int, ...] = (), pad: int | tuple[int, ...] = (), out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Every window of a convolution as a column. data (N, C, *size) | out (N, C · elements of kernel, windows)"""

def khatri_rao(*args: NDArray, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Each column is the Kronecker product of the same column of all inputs."""

def lamb_update_phase1(weight: NDArray, grad: NDArray | None = None, mean: NDArray | None = None, var: NDArray | None = None, *, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06, t: int, bias_correction: bool = True, wd: float, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The direction mean / (√var + epsilon) + wd · weight of Adam with separate decay, before the layer's scaling."""

def lamb_update_phase2(weight: NDArray, g: NDArray | None = None, r1: NDArray | None = None, r2: NDArray | None = None, *, lr: float, lower_bound: float = -1.0, upper_bound: float = -1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """weight - lr · r1 / r2 · g, r1 held between the bounds; the ratio is 1 where a norm is 0."""

def linalg_det(A: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The determinant of each matrix: (*batch,), (1,) for a single one."""

def linalg_extractdiag(A: NDArray, offset: int = 0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The diagonal, `offset` above the main one (below if negative), of square matrices: (*batch, n - |offset|)."""

def linalg_extracttrian(A: NDArray, offset: int = 0, lower: bool = True, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The triangle of square matrices: (*batch, k · (k + 1) / 2) with k = n - |offset|. `lower` counts at offset 0."""

def linalg_gelqf(A: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """Q (m, n) with orthonormal rows and lower triangular L (m, m), A = L · Q, for A (m, n) with m <= n."""

def linalg_gemm(A: NDArray, B: NDArray | None = None, C: NDArray | None = None, *, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, beta: float = 1.0, axis: int = -2, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """alpha · op(A) · op(B) + beta · C. The rows are along `axis`, the columns along the last axis."""

def linalg_gemm2(A: NDArray, B: NDArray | None = None, *, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, axis: int = -2, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """alpha · op(A) · op(B). The rows are along `axis`, the columns along the last axis."""

def linalg_inverse(A: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """A⁻¹"""

def linalg_makediag(A: NDArray, offset: int = 0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Square matrices with A (*batch, n) on a diagonal and zeros elsewhere: (*batch, n + |offset|, n + |offset|)."""

def linalg_maketrian(A: NDArray, offset: int = 0, lower: bool = True, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Square matrices with the vectors A (*batch, k · (k + 1) / 2) in a triangle, zeros elsewhere."""

def linalg_potrf(A: NDArray, lower: bool = True, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Cholesky's lower triangular L with A = L · Lᵀ, A symmetric and positive definite (its lower triangle is read)."""

def linalg_potri(A: NDArray, lower: bool = True, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """(A · Aᵀ)⁻¹ for a lower triangular A, such as potrf gives; (Aᵀ · A)⁻¹ for an upper one with lower=False."""

def linalg_slogdet(A: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """The determinant's sign, and the logarithm of its absolute value: two arrays (*batch,)."""

def linalg_sumlogdiag(A: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sum of the logarithms of the diagonal: (*batch,), (1,) for a single matrix."""

def linalg_syevd(A: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """U with eigenvectors as rows, and the eigenvalues L in ascending order: A = Uᵀ · diag(L) · U, A symmetric."""

def linalg_syrk(A: NDArray, transpose: bool = False, alpha: float = 1.0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """alpha · A · Aᵀ, or alpha · Aᵀ · A with transpose=True."""

def linalg_trmm(A: NDArray, B: NDArray | None = None, *, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """alpha · op(A) · B, or alpha · B · op(A) with rightside=True. A is lower or upper triangular."""

def linalg_trsm(A: NDArray, B: NDArray | None = None, *, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The X of op(A) · X = alpha · B, or of X · op(A) = alpha · B with rightside=True. A is triangular."""

def log(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """natural logarithm"""

def log10(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """logarithm to base 10"""

def log1p(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """log(1 + x), accurate near 0"""

def log2(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """logarithm to base 2"""

def log_softmax(data: NDArray, axis: int = -1, temperature: float | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The logarithm of `softmax`, accurate where that is close to 0. Shapes as in `softmax`."""

def logical_not(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where x is 0, else 0"""

def make_loss(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """x, the end of a graph: its gradient is 1, whatever head gradient comes in"""

def max(data: NDArray, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Largest element over axes. The gradient goes to every element that equals it."""

def max_axis(data: NDArray, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Largest element over axes. The gradient goes to every element that equals it."""

def mean(data: NDArray, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Mean over axes."""

def min(data: NDArray, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Smallest element over axes. The gradient goes to every element that equals it."""

def min_axis(data: NDArray, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Smallest element over axes. The gradient goes to every element that equals it."""

def moments(data: NDArray, axes: int | tuple[int, ...] | None = None, keepdims: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """Mean and variance (the mean of the squared distances) over `axes` (None or (): all)."""

def mp_lamb_update_phase1(weight: NDArray, grad: NDArray | None = None, mean: NDArray | None = None, var: NDArray | None = None, weight32: NDArray | None = None, *, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06, t: int, bias_correction: bool = True, wd: float, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """`lamb_update_phase1` in mixed precision; the direction is float32."""

def mp_lamb_update_phase2(weight: NDArray, g: NDArray | None = None, r1: NDArray | None = None, r2: NDArray | None = None, weight32: NDArray | None = None, *, lr: float, lower_bound: float = -1.0, upper_bound: float = -1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """`lamb_update_phase2` in mixed precision."""

def mp_nag_mom_update(weight: NDArray, grad: NDArray | None = None, mom: NDArray | None = None, weight32: NDArray | None = None, *, lr: float, momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """`nag_mom_update` in mixed precision."""

def mp_sgd_mom_update(weight: NDArray, grad: NDArray | None = None, mom: NDArray | None = None, weight32: NDArray | None = None, *, lr: float, momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """`sgd_mom_update` in mixed precision."""

def mp_sgd_update(weight: NDArray, grad: NDArray | None = None, weight32: NDArray | None = None, *, lr: float, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """`sgd_update` in mixed precision."""

def multi_all_finite(*data: NDArray, num_arrays: int = 1, init_output: bool = True, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """all_finite of any number of arrays together."""

def multi_lars(lrs: NDArray, weights_sum_sq: NDArray | None = None, grads_sum_sq: NDArray | None = None, wds: NDArray | None = None, *, eta: float, eps: float, rescale_grad: float = 1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """lrs · eta · |w| / (|g| + wds · |w| + eps) from sums of squares; lrs where a norm is 0. |g| is rescaled."""

def multi_mp_sgd_mom_update(*data: NDArray, lrs: float | tuple[float, ...], wds: float | tuple[float, ...], momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """`mp_sgd_mom_update` of several weights."""

def multi_mp_sgd_update(*data: NDArray, lrs: float | tuple[float, ...], wds: float | tuple[float, ...], rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """`mp_sgd_update` of several weights."""

def multi_sgd_mom_update(*data: NDArray, lrs: float | tuple[float, ...], wds: float | tuple[float, ...], momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """`sgd_mom_update` of several weights."""

def multi_sgd_update(*data: NDArray, lrs: float | tuple[float, ...], wds: float | tuple[float, ...], rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """`sgd_update` of several weights."""

def multi_sum_sq(*data: NDArray, num_arrays: int, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sum of squares of each array, as one float32 vector (num_arrays,)."""

def nag_mom_update(weight: NDArray, grad: NDArray | None = None, mom: NDArray | None = None, *, lr: float, momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """d = g + wd · weight; mom = momentum · mom - lr · d; weight + momentum · mom - lr · d"""

def nanprod(data: NDArray, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Product over axes, NaN taken as 1."""

def nansum(data: NDArray, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Sum over axes, NaN taken as 0."""

def negative(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """-x"""

def norm(data: NDArray, ord: int = 2, axis: int | tuple[int, ...] | None = None, out_dtype: str | type | None = None, keepdims: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """√(Σ data²) for ord=2, Σ |data| for ord=1, over `axis` (None or (): all)."""

def normal(loc: float = 0.0, scale: float = 1.0, shape: int | tuple[int, ...] | None = None, ctx: str | Context = '', dtype: str | type | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Normal with mean and standard deviation."""

def one_hot(indices: NDArray, *, depth: int, on_value: float = 1.0, off_value: float = 0.0, dtype: str | type = 'float32', out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """A new last axis of length `depth` that is on_value at the index and off_value elsewhere."""

def ones_like(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """ones in the shape and dtype of x"""

def pad(data: NDArray, *, mode: Literal['constant', 'edge', 'reflect'], pad_width: int | tuple[int, ...], constant_value: float = 0.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Elements added around the array. pad_width: (before, after) for each axis, all in one tuple."""

def pick(data: NDArray, index: NDArray | None = None, *, axis: int | None = -1, keepdims: bool = False, mode: Literal['clip', 'wrap'] = 'clip', out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """One element along axis `axis` for each position of the other axes."""

def preloaded_multi_mp_sgd_mom_update(*data: NDArray, momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """`multi_mp_sgd_mom_update` with lrs and wds as arrays."""

def preloaded_multi_mp_sgd_update(*data: NDArray, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """`multi_mp_sgd_update` with lrs and wds as arrays."""

def preloaded_multi_sgd_mom_update(*data: NDArray, momentum: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """`multi_sgd_mom_update` with lrs and wds as arrays."""

def preloaded_multi_sgd_update(*data: NDArray, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """`multi_sgd_update` with lrs and wds as arrays."""

def prod(data: NDArray, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Product over axes."""

def radians(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """degrees to radians"""

def random_exponential(lam: float = 1.0, shape: int | tuple[int, ...] | None = None, ctx: str | Context = '', dtype: str | type | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Exponential with rate lam: the mean is 1 / lam."""

def random_exponential_like(data: NDArray, lam: float = 1.0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Exponential with rate lam: the mean is 1 / lam. In the shape of data."""

def random_gamma(alpha: float = 1.0, beta: float = 1.0, shape: int | tuple[int, ...] | None = None, ctx: str | Context = '', dtype: str | type | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Gamma with shape alpha, scale beta; 0 where one of them is."""

def random_gamma_like(data: NDArray, alpha: float = 1.0, beta: float = 1.0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Gamma with shape alpha, scale beta; 0 where one of them is. In the shape of data."""

def random_generalized_negative_binomial(mu: float = 1.0, alpha: float = 1.0, shape: int | tuple[int, ...] | None = None, ctx: str | Context = '', dtype: str | type | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Negative binomial with mean mu and dispersion alpha."""

def random_generalized_negative_binomial_like(data: NDArray, mu: float = 1.0, alpha: float = 1.0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Negative binomial with mean mu and dispersion alpha. In the shape of data."""

def random_negative_binomial(k: int = 1, p: float = 1.0, shape: int | tuple[int, ...] | None = None, ctx: str | Context = '', dtype: str | type | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Failures before k successes of probability p."""

def random_negative_binomial_like(data: NDArray, k: int = 1, p: float = 1.0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Failures before k successes of probability p. In the shape of data."""

def random_normal(loc: float = 0.0, scale: float = 1.0, shape: int | tuple[int, ...] | None = None, ctx: str | Context = '', dtype: str | type | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Normal with mean and standard deviation."""

def random_normal_like(data: NDArray, loc: float = 0.0, scale: float = 1.0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Normal with mean and standard deviation. In the shape of data."""

def random_pdf_dirichlet(sample: NDArray, alpha: NDArray | None = None, *, is_log: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Dirichlet's density of vectors of k numbers: sample (*S, *T, k), alpha (*S, k), out (*S, *T). is_log: its logarithm."""

def random_pdf_exponential(sample: NDArray, lam: NDArray | None = None, *, is_log: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The exponential density with rate lam. is_log: its logarithm."""

def random_pdf_gamma(sample: NDArray, alpha: NDArray | None = None, beta: NDArray | None = None, *, is_log: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The gamma density with shape alpha and rate beta (`random_gamma`'s beta is a scale). is_log: its logarithm."""

def random_pdf_generalized_negative_binomial(sample: NDArray, mu: NDArray | None = None, alpha: NDArray | None = None, *, is_log: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The probability of x under the negative binomial law with mean mu and dispersion alpha. is_log: its logarithm."""

def random_pdf_negative_binomial(sample: NDArray, k: NDArray | None = None, p: NDArray | None = None, *, is_log: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The probability of x failures before k successes of probability p. is_log: its logarithm."""

def random_pdf_normal(sample: NDArray, mu: NDArray | None = None, sigma: NDArray | None = None, *, is_log: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The normal density with mean mu and standard deviation sigma. is_log: its logarithm."""

def random_pdf_poisson(sample: NDArray, lam: NDArray | None = None, *, is_log: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The probability of x under Poisson's law with mean lam. is_log: its logarithm."""

def random_pdf_uniform(sample: NDArray, low: NDArray | None = None, high: NDArray | None = None, *, is_log: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 / (high - low), wherever the sample lies. is_log: its logarithm."""

def random_poisson(lam: float = 1.0, shape: int | tuple[int, ...] | None = None, ctx: str | Context = '', dtype: str | type | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Poisson with mean lam."""

def random_poisson_like(data: NDArray, lam: float = 1.0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Poisson with mean lam. In the shape of data."""

def random_randint(*, low: int, high: int, shape: int | tuple[int, ...] | None = None, ctx: str | Context = '', dtype: str | type | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Integers in [low, high). dtype int32 (default) or int64."""

def random_uniform(low: float = 0.0, high: float = 1.0, shape: int | tuple[int, ...] | None = None, ctx: str | Context = '', dtype: str | type | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Uniform in [low, high)."""

def random_uniform_like(data: NDArray, low: float = 0.0, high: float = 1.0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Uniform in [low, high). In the shape of data."""

def ravel_multi_index(data: NDArray, shape: int | tuple[int, ...] | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Numbers of the elements of an array of `shape` at given positions."""

def rcbrt(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 / ∛x"""

def reciprocal(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 / x"""

def relu(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """max(x, 0); NaN stays NaN"""

def repeat(data: NDArray, *, repeats: int, axis: int | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Each element `repeats` times in a row along axis `axis`; axis None flattens first."""

def reset_arrays(*data: NDArray, num_arrays: int, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """Overwrites all arrays with zeros. There is no result."""

def reshape(data: NDArray, shape: int | tuple[int, ...] = (), reverse: bool = False, target_shape: int | tuple[int, ...] = (), keep_highest: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The same elements in another shape."""

def reshape_like(lhs: NDArray, rhs: NDArray | None = None, *, lhs_begin: int | None = None, lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The elements of lhs in the shape of rhs, or axes lhs_begin:lhs_end of lhs in that of rhs_begin:rhs_end."""

def reverse(data: NDArray, axis: int | tuple[int, ...], *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The elements in reverse order along each of the axes `axis`."""

def rint(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the nearest whole number, the lower one when two are as near"""

def rmsprop_update(weight: NDArray, grad: NDArray | None = None, n: NDArray | None = None, *, lr: float, gamma1: float = 0.95, epsilon: float = 1e-08, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """d = clip(rescale_grad · grad + wd · weight); n is the running mean of d²; weight - lr · d / √(n + epsilon)."""

def rmspropalex_update(weight: NDArray, grad: NDArray | None = None, n: NDArray | None = None, g: NDArray | None = None, delta: NDArray | None = None, *, lr: float, gamma1: float = 0.95, gamma2: float = 0.9, epsilon: float = 1e-08, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """RMSProp with the variance in place of the mean square, and momentum: g is the running mean of d, and delta = gamma2 · delta - lr · d / √(n - g² + epsilon); weight + delta."""

def round(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the nearest whole number, away from 0 when two are as near"""

def rsqrt(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 / √x"""

def sample_exponential(lam: NDArray, shape: int | tuple[int, ...] = (), dtype: str | type | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Exponential with rate lam: the mean is 1 / lam. One array of draws per element."""

def sample_gamma(alpha: NDArray, beta: NDArray | None = None, *, shape: int | tuple[int, ...] = (), dtype: str | type | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Gamma with shape alpha, scale beta; 0 where one of them is. One array of draws per element."""

def sample_generalized_negative_binomial(mu: NDArray, alpha: NDArray | None = None, *, shape: int | tuple[int, ...] = (), dtype: str | type | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Negative binomial with mean mu and dispersion alpha. One array of draws per element."""

def sample_multinomial(data: NDArray, shape: int | tuple[int, ...] = (), get_prob: bool = False, dtype: str | type = 'int32', *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """Class numbers drawn with the probabilities of data's last axis."""

def sample_negative_binomial(k: NDArray, p: NDArray | None = None, *, shape: int | tuple[int, ...] = (), dtype: str | type | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Failures before k successes of probability p. One array of draws per element."""

def sample_normal(mu: NDArray, sigma: NDArray | None = None, *, shape: int | tuple[int, ...] = (), dtype: str | type | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Normal with mean and standard deviation. One array of draws per element."""

def sample_poisson(lam: NDArray, shape: int | tuple[int, ...] = (), dtype: str | type | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Poisson with mean lam. One array of draws per element."""

def sample_uniform(low: NDArray, high: NDArray | None = None, *, shape: int | tuple[int, ...] = (), dtype: str | type | None = None, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Uniform in [low, high). One array of draws per element."""

def scatter_nd(data: NDArray, indices: NDArray | None = None, *, shape: int | tuple[int, ...], out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Zeros of `shape` with data at the positions that gather_nd would read. Where indices repeat, the last one counts."""

def sgd_mom_update(weight: NDArray, grad: NDArray | None = None, mom: NDArray | None = None, *, lr: float, momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """mom = momentum · mom - lr · (g + wd · weight); weight + mom"""

def sgd_update(weight: NDArray, grad: NDArray | None = None, *, lr: float, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """weight - lr · (g + wd · weight)"""

def shape_array(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The shape of data as an int64 array."""

def shuffle(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The items along the first axis in random order; each item stays whole."""

def sigmoid(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 / (1 + e⁻ˣ)"""

def sign(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """-1, 0 or 1; 0 for NaN"""

def signsgd_update(weight: NDArray, grad: NDArray | None = None, *, lr: float, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """weight - lr · (sign(grad) + wd · weight). Bernstein et al. 2018, signSGD, arXiv:1802.04434."""

def signum_update(weight: NDArray, grad: NDArray | None = None, mom: NDArray | None = None, *, lr: float, momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, wd_lh: float = 0.0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """mom = momentum · mom - (1 - momentum) · (g + wd · weight); (1 - lr · wd_lh) · weight + lr · sign(mom)."""

def sin(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """sine, x in radians"""

def sinh(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """hyperbolic sine"""

def size_array(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The number of elements of data, an int64 array of shape (1,)."""

def slice(data: NDArray, *, begin: tuple[int | None, ...], end: tuple[int | None, ...], step: tuple[int | None, ...] = (), out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """data[begin[0]:end[0]:step[0], ...]. None and negative numbers as in Python, axes not named are kept whole."""

def slice_axis(data: NDArray, axis: int, begin: int, end: int | None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Elements begin to end of one axis. Negative numbers count from the end, end=None is the end."""

def slice_like(data: NDArray, shape_like: NDArray | None = None, *, axes: int | tuple[int, ...] = (), out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The first elements of data along `axes` (all when empty), as many as shape_like has."""

def smooth_l1(data: NDArray, scalar: float = 1.0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """(s·x)² / 2 where |x| < 1 / s², else |x| - 1 / (2 s²), with s the attribute `scalar`."""

def softmax(data: NDArray, length: NDArray | None = None, *, axis: int = -1, temperature: float | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """exp(data / temperature) divided by its sum along axis."""

def softmax_cross_entropy(data: NDArray, label: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sum over items of -log softmax(data)[label]."""

def softmin(data: NDArray, axis: int = -1, temperature: float | None = None, dtype: Literal['float16', 'float32', 'float64'] | None = None, use_length: bool | None = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """softmax(-data): the smallest element gets the largest share. Shapes as in `softmax`."""

def softsign(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """x / (1 + |x|)"""

def sort(data: NDArray, axis: int | None = -1, is_ascend: bool = True, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The elements in order along `axis`; axis None sorts all of them as a vector."""

def space_to_depth(data: NDArray, block_size: int, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Blocks of the plane stacked as channels. data (N, C, H·b, W·b) | out (N, C·b², H, W), b = block_size"""

def split(data: NDArray, *, num_outputs: int, axis: int = 1, squeeze_axis: bool = False, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """`num_outputs` equal parts along axis `axis`; squeeze_axis=True leaves the axis out where the parts have length 1."""

def sqrt(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """√x"""

def square(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """x²"""

def squeeze(data: NDArray, axis: int | tuple[int, ...] | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Without the axes of length 1, or without those of `axis`, which must have length 1. At least (1,) remains."""

def stack(*data: NDArray, axis: int = 0, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Arrays of one shape joined along a new axis `axis`."""

def stop_gradient(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """x; no gradient passes"""

def sum(data: NDArray, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Sum over axes."""

def sum_axis(data: NDArray, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, exclude: bool = False, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Sum over axes."""

def swapaxes(data: NDArray, dim1: int = 0, dim2: int = 0, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Axes dim1 and dim2 change places."""

def take(a: NDArray, indices: NDArray | None = None, *, axis: int = 0, mode: Literal['clip', 'raise', 'wrap'] = 'clip', out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Slices of a at `indices` along axis `axis`."""

def tan(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """tangent, x in radians"""

def tanh(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """hyperbolic tangent"""

def tile(data: NDArray, reps: int | tuple[int, ...], *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The whole array repeated reps[i] times along axis i. The shorter of shape and reps is filled with ones in front."""

def topk(data: NDArray, axis: int | None = -1, k: int = 1, ret_typ: Literal['both', 'indices', 'mask', 'value'] = 'indices', is_ascend: bool = False, dtype: str | type = 'float32', *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray | list[NDArray]:
    """The k largest elements along `axis`, in order; the smallest with is_ascend=True; all when k < 1."""

def transpose(data: NDArray, axes: int | tuple[int, ...] = (), *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Axes in the order `axes`; reversed when axes is ()."""

def trunc(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """the whole number towards 0"""

def uniform(low: float = 0.0, high: float = 1.0, shape: int | tuple[int, ...] | None = None, ctx: str | Context = '', dtype: str | type | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Uniform in [low, high)."""

def unravel_index(data: NDArray, shape: int | tuple[int, ...] | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Positions, in an array of `shape`, of the elements with given numbers. data (*B) | out (N, *B)"""

def where(condition: NDArray, x: NDArray | None = None, y: NDArray | None = None, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """x where condition is not zero, else y. condition: as x and y, or a vector with an element for each row."""

def zeros_like(data: NDArray, *, out: NDArray | list[NDArray] | None = None, name: str | None = None) -> NDArray:
    """zeros in the shape and dtype of x"""

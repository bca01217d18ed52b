"""Normalization layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...common.docstrings import share_docstring
from ...common.dtypes import as_dtype, is_narrow
from ...common.types import DType
from ..hybrid_block import HybridBlock

if TYPE_CHECKING:
    from ...initializer import Initializer
    from ..parameter import Parameter

__all__ = ["BatchNorm", "BatchNormReLU", "GroupNorm", "InstanceNorm", "LayerNorm"]


class _Norm(HybridBlock):
    """Base class of the layers: gamma and beta for each of `size` channels, and `repr`."""

    gamma: Parameter
    beta: Parameter

    def _add_scale_and_shift(self, size, scale, center, gamma_initializer, beta_initializer, fixed=False):
        """Add gamma and beta. scale, center: whether they are learned. fixed: if True, prevent grad_req from making
        them learnable.
        """
        self.gamma = self.params.get("gamma", grad_req="write" if scale else "null", shape=(size,),
                                     init=gamma_initializer, allow_deferred_init=True,
                                     differentiable=scale or not fixed)
        self.beta = self.params.get("beta", grad_req="write" if center else "null", shape=(size,),
                                    init=beta_initializer, allow_deferred_init=True,
                                    differentiable=center or not fixed)

    def _text(self, *more):
        return f"{type(self).__name__}({', '.join([f'{k}={v!r}' for k, v in self._kwargs.items()] + list(more))})"


class BatchNorm(_Norm):
    """Batch normalization: (x - mean) / √(variance + epsilon) · gamma + beta, with each channel's mean and variance.

    In training, the batch's statistics are used, and the running statistics become running · momentum + batch · (1 -
    momentum). At inference, and always with use_global_stats=True, the running statistics are used.

    x (N, C, ...) | gamma, beta, running_mean, running_var (C,) | out like x

    axis: the axis of the channels.
    momentum: the momentum of the running mean and variance.
    epsilon: a small number that keeps the root away from 0.
    center, scale: whether beta and gamma are learned.
    use_global_stats: if True, also normalize with the running statistics in training.
    beta_initializer, gamma_initializer, running_mean_initializer, running_variance_initializer: the initializers of the
    parameters.
    in_channels: 0 infers it in the first forward pass.

    Source: Ioffe and Szegedy 2015, Batch Normalization.

    >>> layer = nn.BatchNorm()
    >>> layer.initialize()
    >>> with autograd.train_mode():
    ...     out = layer(nd.array([[1, 10], [3, 30]]))
    >>> out.asnumpy().round(3).tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    >>> layer.running_mean.data().asnumpy().round(3)        # a tenth of the way from 0 to the batch's 2 and 20
    array([0.2, 2. ], dtype=float32)
    """

    def __init__(self, axis: int = 1, momentum: float = 0.9, epsilon: float = 1e-5, center: bool = True,
                 scale: bool = True, use_global_stats: bool = False, beta_initializer: str | Initializer = "zeros",
                 gamma_initializer: str | Initializer = "ones", running_mean_initializer: str | Initializer = "zeros",
                 running_variance_initializer: str | Initializer = "ones", in_channels: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._kwargs = {"axis": axis, "eps": epsilon, "momentum": momentum, "fix_gamma": not scale,
                        "use_global_stats": use_global_stats}
        if in_channels:
            self.in_channels = in_channels
        self._add_scale_and_shift(in_channels, scale, center, gamma_initializer, beta_initializer, fixed=True)
        self.running_mean = self._running("running_mean", in_channels, running_mean_initializer)
        self.running_var = self._running("running_var", in_channels, running_variance_initializer)

    def _running(self, name, size, init):
        return self.params.get(name, grad_req="null", shape=(size,), init=init, allow_deferred_init=True,
                               differentiable=False)

    def cast(self, dtype: DType) -> None:
        """Convert to another dtype; float16 data is normalized with float32 parameters."""
        super().cast("float32" if is_narrow(as_dtype(dtype)) else dtype)

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any) -> Any:
        """Return x normalized."""
        return F.BatchNorm(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return self._text(f"in_channels={self.gamma.shape[0] or None}")


class BatchNormReLU(BatchNorm):
    """relu(BatchNorm(x)) in one operator.

    >>> layer = nn.BatchNormReLU()
    >>> layer.initialize()
    >>> with autograd.train_mode():
    ...     out = layer(nd.array([[1, 10], [3, 30]]))
    >>> out.asnumpy().round(3).tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    """

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any) -> Any:
        """Return max(normalized x, 0)."""
        return F.contrib.BatchNormWithReLU(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)


class InstanceNorm(_Norm):
    """(x - mean) / √(variance + epsilon) · gamma + beta, with the mean and variance of each channel in each item.

    x (N, C, *rest) | gamma, beta (C,) | out like x

    axis: the axis of the channels.
    epsilon: a small number that keeps the root away from 0.
    center, scale: whether beta and gamma are learned.
    beta_initializer, gamma_initializer: the initializers of beta and gamma.
    in_channels: 0 infers it in the first forward pass.

    Source: Ulyanov et al. 2016, Instance Normalization.

    >>> layer = nn.InstanceNorm()
    >>> layer.initialize()
    >>> layer(nd.array([[[1, 3], [10, 30]]])).asnumpy().round(3).tolist()
    [[[-1.0, 1.0], [-1.0, 1.0]]]
    """

    def __init__(self, axis: int = 1, epsilon: float = 1e-5, center: bool = True, scale: bool = False,
                 beta_initializer: str | Initializer = "zeros", gamma_initializer: str | Initializer = "ones",
                 in_channels: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis, self._epsilon = axis, epsilon
        self._add_scale_and_shift(in_channels, scale, center, gamma_initializer, beta_initializer)

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any) -> Any:
        """Return x normalized."""
        if self._axis == 1:
            return F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon)
        x = F.swapaxes(x, dim1=1, dim2=self._axis)
        return F.swapaxes(F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon), dim1=1, dim2=self._axis)

    def __repr__(self) -> str:
        return self._text(f"in_channels={self.gamma.shape[0]}")


class LayerNorm(_Norm):
    """(x - mean) / √(variance + epsilon) · gamma + beta, with the mean and variance along one axis.

    data any shape | gamma, beta (size of the axis,) | out like data

    axis: the axis along which elements are normalized together.
    epsilon: a small number that keeps the root away from 0.
    center, scale: whether beta and gamma are learned.
    beta_initializer, gamma_initializer: the initializers of beta and gamma.
    in_channels: the size of the axis; 0 infers it in the first forward pass.

    Source: Ba et al. 2016, Layer Normalization.

    >>> layer = nn.LayerNorm()
    >>> layer.initialize()
    >>> layer(nd.array([[1, 3], [10, 30]])).asnumpy().round(3).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """

    def __init__(self, axis: int = -1, epsilon: float = 1e-5, center: bool = True, scale: bool = True,
                 beta_initializer: str | Initializer = "zeros", gamma_initializer: str | Initializer = "ones",
                 in_channels: int = 0, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis, self._epsilon = axis, epsilon
        self._add_scale_and_shift(in_channels, scale, center, gamma_initializer, beta_initializer)

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Return data normalized."""
        return F.LayerNorm(data, gamma=gamma, beta=beta, axis=self._axis, eps=self._epsilon)

    def __repr__(self) -> str:
        return self._text(f"in_channels={self.gamma.shape[0]}")


class GroupNorm(_Norm):
    """(x - mean) / √(variance + epsilon) · gamma + beta, with the mean and variance of each channel group in each item.

    data (N, C, ...), with C a multiple of num_groups | gamma, beta (num_groups,) | out like data

    num_groups: the number of groups of consecutive channels; all have the same size.
    epsilon: a small number that keeps the root away from 0.
    center, scale: whether beta and gamma are learned.
    beta_initializer, gamma_initializer: the initializers of beta and gamma.

    Source: Wu and He 2018, Group Normalization.

    >>> layer = nn.GroupNorm(num_groups=2)
    >>> layer.initialize()
    >>> layer(nd.array([[[1], [3], [10], [30]]])).asnumpy().round(3).tolist()
    [[[-1.0], [1.0], [-1.0], [1.0]]]
    """

    def __init__(self, num_groups: Any = 1, epsilon: float = 1e-5, center: bool = True, scale: bool = True,
                 beta_initializer: str | Initializer = "zeros", gamma_initializer: str | Initializer = "ones",
                 prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "num_groups": num_groups, "center": center, "scale": scale}
        self._num_groups, self._epsilon = num_groups, epsilon
        self._add_scale_and_shift(num_groups, scale, center, gamma_initializer, beta_initializer)

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Return data normalized."""
        return F.GroupNorm(data, gamma=gamma, beta=beta, num_groups=self._num_groups, eps=self._epsilon)

    def __repr__(self) -> str:
        return self._text()


share_docstring(BatchNorm, BatchNormReLU)

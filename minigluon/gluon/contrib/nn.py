"""Contributed layers: parallel blocks, pixel shuffles, a row_sparse embedding, and SyncBatchNorm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import kvstore as kvstores
from ... import ndarray as nd
from ...base import ArgumentError, MXNetError, integer_types
from ...common.docstrings import share_sentences
from ...common.types import DType
from ...diagnostics.argument_kinds import worded
from ...ops.nn.batch_norm import OVER_PROCESSES
from ..block import Block
from ..hybrid_block import HybridBlock
from ..nn import BatchNorm, Embedding, HybridSequential, Sequential

if TYPE_CHECKING:
    from ...initializer import Initializer

__all__ = ["Concurrent", "HybridConcurrent", "Identity", "PixelShuffle1D", "PixelShuffle2D", "PixelShuffle3D",
           "SparseEmbedding", "SyncBatchNorm"]


class Concurrent(Sequential):
    """Parallel blocks with the same input, whose outputs are concatenated.

    axis: the axis along which outputs are concatenated.

    >>> net = gluon.contrib.nn.Concurrent(axis=1)
    >>> net.add(nn.Dense(3), nn.Dense(5))
    >>> net.initialize()
    >>> net(nd.ones((2, 4))).shape
    (2, 8)
    """

    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def forward(self, x: Any) -> Any:
        """Return the outputs, concatenated along the axis."""
        return nd.concat(*[block(x) for block in self._children.values()], dim=self.axis)


class HybridConcurrent(HybridSequential):
    """A Concurrent of hybrid blocks.

    >>> net = gluon.contrib.nn.HybridConcurrent(axis=1)
    >>> net.add(nn.Dense(3), gluon.contrib.nn.Identity())
    >>> net.initialize()
    >>> net(nd.ones((2, 4))).shape
    (2, 7)
    """

    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the outputs, concatenated along the axis."""
        return F.concat(*[block(x) for block in self._children.values()], dim=self.axis)


class Identity(HybridBlock):
    """The identity: a shortcut parallel to the other blocks of a Concurrent.

    >>> gluon.contrib.nn.Identity()(nd.array([1, 2])).asnumpy().tolist()
    [1.0, 2.0]
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return x."""
        return x


class _PixelShuffle(HybridBlock):
    """Rearrangement of channels into pixels: Shi et al., "Real-Time Single Image and Video Super-Resolution Using an
    Efficient Sub-Pixel Convolutional Neural Network", 2016.

    (batch, channels · product of the factors, *sizes) becomes (batch, channels, *(size · factor)).
    """

    _rank = None

    @worded
    def __init__(self, factor: float) -> None:
        super().__init__()
        factors = (factor,) * self._rank if isinstance(factor, integer_types) else tuple(factor)
        if len(factors) != self._rank:
            raise ArgumentError(f"{type(self).__name__}: factor is {factor!r}, expected a number or "
                                f"{self._rank} of them")
        self._factors = factors

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return x with fewer channels and more pixels."""
        rank, factors = self._rank, self._factors
        count = 1
        for factor in factors:
            count *= factor
        x = F.reshape(x, shape=(0, -4, -1, count, *(0,) * rank))            # batch, channels, factors, sizes
        for number, factor in enumerate(factors[:-1]):
            x = F.reshape(x, shape=(*(0,) * (2 + number), -4, factor, -1, *(0,) * rank))
        order = [0, 1]
        for axis in range(rank):
            order += [2 + rank + axis, 2 + axis]                            # size, factor; size, factor; ...
        return F.reshape(F.transpose(x, axes=order), shape=(0, 0, *(-3,) * rank))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors if self._rank > 1 else self._factors[0]})"


class PixelShuffle1D(_PixelShuffle):
    """(batch, channels · factor, width) becomes (batch, channels, width · factor).

    >>> gluon.contrib.nn.PixelShuffle1D(2)(nd.array([[[1, 2], [10, 20]]])).asnumpy().tolist()
    [[[1.0, 10.0, 2.0, 20.0]]]
    """

    _rank = 1


class PixelShuffle2D(_PixelShuffle):
    """(batch, channels · f1 · f2, height, width) becomes (batch, channels, height · f1, width · f2).

    factor: f, or (f1, f2).

    >>> gluon.contrib.nn.PixelShuffle2D((2, 3))(nd.ones((1, 12, 4, 4))).shape
    (1, 2, 8, 12)
    """

    _rank = 2


class PixelShuffle3D(_PixelShuffle):
    """(batch, channels · f1 · f2 · f3, depth, height, width) becomes (batch, channels, depth · f1, height · f2,
    width · f3). factor: f, or (f1, f2, f3).

    >>> gluon.contrib.nn.PixelShuffle3D(2)(nd.ones((1, 8, 3, 4, 5))).shape
    (1, 1, 6, 8, 10)
    """

    _rank = 3


class SyncBatchNorm(BatchNorm):
    """BatchNorm with statistics from all processes. It supports one device in each, and is equivalent to BatchNorm in a
    single process.

    x (N, C, ...) | out like x

    num_devices: the number of devices that share a batch; None means all devices that hold the parameters.
    kvstore: a store for several processes that share a batch, or its name, 'dist_sync'; MXNet has no such argument. In
        training, each call and its backward pass send sums to all processes, so all must make the same calls. None: the
        statistics are those of this process.

    Raises MXNetError for more than one device, on creation or at the first call: devices run in sequence here, so the
    first cannot use the statistics of the others. A hybridized layer that is moved to more devices after its first call
    is not checked again.

    >>> layer = gluon.contrib.nn.SyncBatchNorm(num_devices=1)
    >>> layer.initialize()
    >>> with autograd.train_mode():
    ...     out = layer(nd.array([[1, 10], [3, 30]]))
    >>> out.asnumpy().round(3).tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    """

    @worded
    def __init__(self, in_channels: int = 0, num_devices: Any = None, momentum: float = 0.9, epsilon: float = 1e-5,
                 center: bool = True, scale: Any = True, use_global_stats: bool = False,
                 beta_initializer: str | Initializer = "zeros", gamma_initializer: str | Initializer = "ones",
                 running_mean_initializer: str | Initializer = "zeros",
                 running_variance_initializer: str | Initializer = "ones", kvstore: Any = None, **kwargs: Any) -> None:
        if num_devices not in (None, 1):
            raise MXNetError(f"SyncBatchNorm: num_devices is {num_devices}, but statistics over several devices are "
                             "not supported. Use nn.BatchNorm, which takes those of each device's part of the batch.")
        super().__init__(1, momentum, epsilon, center, scale, use_global_stats, beta_initializer, gamma_initializer,
                         running_mean_initializer, running_variance_initializer, in_channels, **kwargs)
        self._num_devices = num_devices
        self._kwargs = {"eps": epsilon, "momentum": momentum, "fix_gamma": not scale,
                        "use_global_stats": use_global_stats, "ndev": 1, "key": self.prefix}
        store = kvstores.create(kvstore) if isinstance(kvstore, str) else kvstore
        if store is not None and store.num_workers > 1:
            self._kwargs["key"] = f"{self.prefix} of {store.num_workers} processes"
            OVER_PROCESSES[self._kwargs["key"]] = lambda sums: np.array(
                store.sum_over_processes(sums.tolist(), f"statistics of {self.prefix}"))

    def hybrid_forward(self, F: Any, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any) -> Any:
        """Return x, normalized."""
        mean = self.running_mean
        if self._num_devices is None and (mean.is_initialized or mean.is_deferred):        # not before initialize()
            self._check_devices(mean.list_ctx())
        return F.contrib.SyncBatchNorm(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)

    def _check_devices(self, devices):
        if len(devices) > 1:
            raise MXNetError(f"SyncBatchNorm '{self.name}' is on {', '.join(map(str, devices))}, but statistics over "
                             "several devices are not supported. Use nn.BatchNorm or num_devices=1, which take those "
                             "of each device's part of the batch, or give one device the whole batch.")


class SparseEmbedding(Block):
    """An embedding with a row_sparse weight and gradient: a forward pass selects the rows with indices x.

    x (any shape): integers in [0, input_dim) | weight (input_dim, output_dim) | out (*x.shape, output_dim)

    >>> words = gluon.contrib.nn.SparseEmbedding(4, 2)
    >>> words.initialize()
    >>> words.weight.set_data(nd.array([[0, 0], [1, 10], [2, 20], [3, 30]]))
    >>> words(nd.array([3, 1])).asnumpy().tolist()
    [[3.0, 30.0], [1.0, 10.0]]
    """

    def __init__(self, input_dim: int, output_dim: int, dtype: DType = "float32",
                 weight_initializer: str | Initializer | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._kwargs = {"input_dim": input_dim, "output_dim": output_dim, "dtype": dtype, "sparse_grad": True}
        self.weight = self.params.get("weight", shape=(input_dim, output_dim), init=weight_initializer, dtype=dtype,
                                      grad_stype="row_sparse", stype="row_sparse")

    def forward(self, x: Any) -> Any:
        """Return weight[x]."""
        return nd.Embedding(x, self.weight.row_sparse_data(x), name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return f"SparseEmbedding({self._kwargs['input_dim']} -> {self._kwargs['output_dim']}, {self._kwargs['dtype']})"


share_sentences(BatchNorm, SyncBatchNorm)
share_sentences(Embedding, SparseEmbedding)
share_sentences(Concurrent, HybridConcurrent)
share_sentences(Block, Concurrent, HybridConcurrent, Identity, SparseEmbedding)

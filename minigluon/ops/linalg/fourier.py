"""Fourier transforms of real numbers, and the count sketch. In MXNet they exist only on GPUs."""

import numpy as np

from ..linear import Linear, linear
from ..op import Op
from ..registry import register
from ..vision.boxes import wide

__all__ = []


class Transform(Op):
    """Base class of the transforms, which act on the last axis. Each transform is the adjoint of the other.

    compute_size: no effect.
    """

    keeps = ()

    def infer_dtype(self, data):
        self.require_float("data", data)
        return [data], [data]

    def last_axis(self, data):
        """Returns the length of the last axis; data must have 2 or 4 dimensions."""
        self.require_rank("data", data, 2, 4)
        return None if data is None else data[-1]


@register("data")
class _contrib_fft(Transform):
    """The Fourier transform, with alternating real and imaginary parts: out[k] = Σ_j data[j] · exp(-2πi · j · k / d).

    data (*lead, d), of 2 or 4 dimensions | out (*lead, 2d)

    >>> nd.contrib.fft(nd.array([[1, 2, 3, 4]])).asnumpy()
    array([[10.,  0., -2.,  2., -2.,  0., -2., -2.]], dtype=float32)
    """

    compute_size: int = 128

    def infer_shape(self, data):
        d = self.last_axis(data)
        return [data], [None if data is None else (*data[:-1], d and 2 * d)]

    def forward(self, data):
        if not data.size:
            return np.zeros(self.infer_shape(data.shape)[1][0], data.dtype)
        spectrum = np.fft.fft(data.astype(np.float64))
        return np.stack([spectrum.real, spectrum.imag], -1).reshape(*data.shape[:-1], -1).astype(data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._contrib_ifft(out_grads[0], compute_size=self.compute_size)


@register("data")
class _contrib_ifft(Transform):
    """The real part of the inverse Fourier transform, not divided by d.

    out[j] = Re Σ_k (data[2k] + i · data[2k + 1]) · exp(2πi · j · k / d)
    data (*lead, 2d), as returned by fft | out (*lead, d)

    >>> nd.contrib.ifft(nd.contrib.fft(nd.array([[1, 2, 3, 4]]))).asnumpy() / 4
    array([[1., 2., 3., 4.]], dtype=float32)
    """

    compute_size: int = 128

    def infer_shape(self, data):
        d = self.last_axis(data)
        if d is not None and d % 2:
            raise self.shape_clash(f"data has shape {data}, expected an even last axis: real and imaginary parts",
                                   "data")
        return [data], [None if data is None else (*data[:-1], None if d is None else d // 2)]

    def forward(self, data):
        if not data.size:
            return np.zeros(self.infer_shape(data.shape)[1][0], data.dtype)
        exact = data.astype(np.float64)
        signal = np.fft.ifft(exact[..., ::2] + 1j * exact[..., 1::2], norm="forward")
        return signal.real.astype(data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._contrib_fft(out_grads[0], compute_size=self.compute_size)


@linear("data", "h", "s")
class _contrib_count_sketch(Linear):
    """Compresses each row into a short sketch: out[n, h[j]] += s[j] · data[n, j].

    data (N, d) | h (1, d): integers below out_dim | s (1, d): signs | out (N, out_dim)

    out_dim: the length of a sketch.
    processing_batch_size: no effect.

    Source: Charikar, Chen, Farach-Colton 2002, Finding frequent items in data streams.

    >>> h, s = nd.array([[0, 1, 0]]), nd.array([[1, -1, 1]])
    >>> nd.contrib.count_sketch(nd.array([[1, 2, 3]]), h, s, out_dim=2).asnumpy()
    array([[ 4., -2.]], dtype=float32)
    """

    out_dim: int
    processing_batch_size: int = 32
    keeps = ("inputs",)

    def infer_shape(self, data, h, s):
        self.require_rank("data", data, 2)
        if self.out_dim < 1:
            raise self.shape_clash(f"out_dim={self.out_dim} must be positive")
        width = (1, None if data is None else data[1])
        width = self.require("s", s, self.require("h", h, width))
        data = self.require("data", data, (None, width[1]))
        return [data, width, width], [(data[0], self.out_dim)]

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.arguments, dtypes, strict=True):
            self.require_float(name, dtype)
        return super().infer_dtype(*dtypes)

    def places(self, h):
        """Returns each column's target; indices out of range are clipped."""
        return np.clip(np.nan_to_num(wide(h[0])), 0, self.out_dim - 1).astype(np.int64)

    def forward(self, data, h, s):
        places = np.arange(len(data))[:, None] * self.out_dim + self.places(h)
        values = wide(data) * wide(s)
        out = np.bincount(places.ravel(), values.ravel(), len(data) * self.out_dim)
        return out.reshape(len(data), self.out_dim).astype(data.dtype)

    def adjoint(self, grad, data, h, s):
        return np.take(grad, self.places(h), 1) * s

"""Activation layers. Each takes an array of any shape and returns an array of the same shape."""

from __future__ import annotations

import numbers
from typing import Any

from ... import initializer
from ...base import ArgumentError
from ..hybrid_block import HybridBlock

__all__ = ["ELU", "GELU", "SELU", "Activation", "LeakyReLU", "PReLU", "Swish"]


class Activation(HybridBlock):
    """An activation function selected by name.

    activation: 'relu' max(x, 0), 'sigmoid' 1 / (1 + e⁻ˣ), 'tanh', 'softrelu' log(1 + eˣ) or 'softsign' x / (1 + |x|).

    >>> nn.Activation("relu")(nd.array([-1, 2])).asnumpy().tolist()
    [0.0, 2.0]
    """

    def __init__(self, activation: str, **kwargs: Any) -> None:
        self._act_type = activation
        super().__init__(**kwargs)

    def _alias(self):
        return self._act_type

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return act(x)."""
        return F.Activation(x, act_type=self._act_type, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._act_type})"


class LeakyReLU(HybridBlock):
    """x where x > 0, alpha · x elsewhere.

    alpha: the slope, at least 0.

    Raises ArgumentError if alpha < 0.

    >>> nn.LeakyReLU(0.5)(nd.array([-2, 2])).asnumpy().tolist()
    [-1.0, 2.0]
    """

    def __init__(self, alpha: float, **kwargs: Any) -> None:
        if not isinstance(alpha, numbers.Real) or alpha < 0:
            raise ArgumentError(f"LeakyReLU: alpha is {alpha!r}, expected a slope of at least 0")
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return max(x, alpha · x) for alpha ≤ 1."""
        return F.LeakyReLU(x, act_type="leaky", slope=self._alpha, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._alpha})"


class PReLU(HybridBlock):
    """LeakyReLU whose slope `alpha` is learned.

    alpha_initializer: the initializer of the slope.
    in_channels: 1 for a common slope, or the number of channels (axis 1) for one slope per channel.

    Source: He et al. 2015, Delving Deep into Rectifiers.

    >>> layer = nn.PReLU()
    >>> layer.initialize()
    >>> layer(nd.array([[-4, 4]])).asnumpy().tolist()
    [[-1.0, 4.0]]
    """

    def __init__(self, alpha_initializer: Any = initializer.Constant(0.25), in_channels: int = 1,      # noqa: B008
                 **kwargs: Any):
        super().__init__(**kwargs)
        with self.name_scope():
            self.alpha = self.params.get("alpha", shape=(in_channels,), init=alpha_initializer)

    def hybrid_forward(self, F: Any, x: Any, alpha: Any) -> Any:
        """Return x where x > 0, alpha · x elsewhere."""
        return F.LeakyReLU(x, gamma=alpha, act_type="prelu", name="fwd")


class ELU(HybridBlock):
    """x where x > 0, alpha · (eˣ - 1) elsewhere.

    alpha: minus the limit at -∞.

    Source: Clevert et al. 2016, Fast and Accurate Deep Network Learning by Exponential Linear Units.

    >>> nn.ELU(alpha=2)(nd.array([-100, 0, 3])).asnumpy().tolist()
    [-2.0, 0.0, 3.0]
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return elu(x)."""
        return F.LeakyReLU(x, act_type="elu", slope=self._alpha)


class SELU(HybridBlock):
    """1.0507 · x where x > 0, 1.0507 · 1.6733 · (eˣ - 1) elsewhere: activations keep a mean of 0 and a variance of 1.

    Source: Klambauer et al. 2017, Self-Normalizing Neural Networks.

    >>> nn.SELU()(nd.array([-100, 0, 1])).asnumpy().round(3)
    array([-1.758,  0.   ,  1.051], dtype=float32)
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return selu(x)."""
        return F.LeakyReLU(x, act_type="selu", name="fwd")


class GELU(HybridBlock):
    """x · Φ(x), with the normal distribution function Φ.

    Source: Hendrycks and Gimpel 2016, Gaussian Error Linear Units.

    >>> nn.GELU()(nd.array([-10, 0, 10])).asnumpy().round(3).tolist()
    [-0.0, 0.0, 10.0]
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return gelu(x)."""
        return F.LeakyReLU(x, act_type="gelu", name="fwd")


class Swish(HybridBlock):
    """x · sigmoid(beta · x).

    beta: the larger beta is, the closer the result is to relu.

    Source: Ramachandran et al. 2017, Searching for Activation Functions.

    >>> nn.Swish(beta=100)(nd.array([-2, 0, 2])).asnumpy().round(3).tolist()
    [-0.0, 0.0, 2.0]
    """

    def __init__(self, beta: float = 1.0, **kwargs: Any) -> None:
        if not isinstance(beta, numbers.Real):
            raise ArgumentError(f"Swish: beta is {beta!r}, expected a number")
        super().__init__(**kwargs)
        self._beta = beta

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return x · sigmoid(beta · x)."""
        return x * F.sigmoid(self._beta * x, name="fwd")

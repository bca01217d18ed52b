"""Dense, Dropout, Embedding, Flatten, and layers that wrap functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ... import ndarray as nd
from ... import symbol
from ...base import ArgumentError, nearest
from ...common.types import DType, Shape
from ..block import Block
from ..hybrid_block import HybridBlock
from .activations import Activation
from .sizes import check_length, check_rate

if TYPE_CHECKING:
    from ...initializer import Initializer

__all__ = ["Dense", "Dropout", "Embedding", "Flatten", "HybridLambda", "Lambda"]


class Dense(HybridBlock):
    """Fully connected layer: act(x · weightᵀ + bias).

    x (N, *rest) if flatten else (*lead, in_units) | weight (units, in_units) | bias (units,)
    out (N, units) or (*lead, units)

    units: the size of the output.
    activation: a name for `Activation`; None for a linear layer.
    use_bias: if True, add a bias.
    flatten: if True, flatten all axes of x except the first; if False, apply the layer to the last axis.
    dtype: the dtype of weight and bias.
    weight_initializer, bias_initializer: None uses the initializer passed to `initialize`.
    in_units: size of the input; 0 infers it in the first forward pass.

    >>> layer = nn.Dense(1, in_units=3)
    >>> layer.initialize()
    >>> layer.weight.set_data(nd.array([[1, 10, 100]]))
    >>> layer(nd.array([[1, 2, 3], [4, 5, 6]])).asnumpy().tolist()
    [[321.0], [654.0]]
    """

    act: Activation | None

    def __init__(self, units: int, activation: str | None = None, use_bias: bool = True, flatten: bool = True,
                 dtype: DType = "float32", weight_initializer: str | Initializer | None = None,
                 bias_initializer: str | Initializer = "zeros", in_units: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_length(self, "units", units)
        self._units, self._in_units, self._flatten = units, in_units, flatten
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(units, in_units), init=weight_initializer, dtype=dtype,
                                          allow_deferred_init=True)
            self.bias: Any = self.params.get("bias", shape=(units,), init=bias_initializer, dtype=dtype,
                                        allow_deferred_init=True) if use_bias else None
            self.act = Activation(activation, prefix=activation + "_") if activation is not None else None

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Return act(x · weightᵀ + bias)."""
        out = F.FullyConnected(x, weight, bias, num_hidden=self._units, no_bias=bias is None, flatten=self._flatten,
                               name="fwd")
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        units, in_units = self.weight.shape
        return f"{type(self).__name__}({in_units or None} -> {units}, {self.act or 'linear'})"


class Dropout(HybridBlock):
    """Layer that, in training, zeroes elements with probability `rate` and scales all others by 1 / (1 - rate).

    At inference it returns x unchanged. The scaling leaves the mean unchanged.

    x any shape | out the same shape

    rate: from 0 to 1.
    axes: the axes along which all elements share one random draw.

    Source: Srivastava et al. 2014, Dropout: A Simple Way to Prevent Neural Networks from Overfitting.

    >>> layer = nn.Dropout(0.5)
    >>> layer(nd.ones((4,))).asnumpy().tolist()
    [1.0, 1.0, 1.0, 1.0]
    >>> with autograd.train_mode():
    ...     out = layer(nd.ones((100,)))
    >>> sorted(set(out.asnumpy().tolist()))
    [0.0, 2.0]
    """

    def __init__(self, rate: float, axes: Shape = (), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_rate(self, "rate", rate)
        self._rate, self._axes = rate, axes

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return x unchanged at inference, with elements dropped in training."""
        if self._rate > 0:
            return F.Dropout(x, p=self._rate, axes=self._axes, name="fwd", cudnn_off=False)
        return F.identity(x)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p = {self._rate}, axes={self._axes})"


class Embedding(HybridBlock):
    """Rows of a learned matrix, selected by integer indices: weight[x].

    x: integers in [0, input_dim), any shape | weight (input_dim, output_dim) | out (*x.shape, output_dim)

    input_dim: the number of rows, such as the words in a vocabulary.
    output_dim: length of a row.
    dtype: the dtype of weight and out.
    weight_initializer: None uses the initializer passed to `initialize`.
    sparse_grad: if True, make the gradient row_sparse, with only the rows selected by x. SGD and Adam then update only
        these rows, without decay or momentum for the others, and the time per step does not grow with input_dim.

    >>> words = nn.Embedding(input_dim=4, output_dim=2)
    >>> words.initialize()
    >>> words.weight.set_data(nd.array([[0, 0], [1, 10], [2, 20], [3, 30]]))
    >>> words(nd.array([3, 1])).asnumpy().tolist()
    [[3.0, 30.0], [1.0, 10.0]]
    """

    def __init__(self, input_dim: int, output_dim: int, dtype: DType = "float32",
                 weight_initializer: str | Initializer | None = None, sparse_grad: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_length(self, "input_dim", input_dim)
        check_length(self, "output_dim", output_dim)
        self._kwargs = {"input_dim": input_dim, "output_dim": output_dim, "dtype": dtype, "sparse_grad": sparse_grad}
        self.weight = self.params.get("weight", shape=(input_dim, output_dim), init=weight_initializer, dtype=dtype,
                                      allow_deferred_init=True, grad_stype="row_sparse" if sparse_grad else "default")

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        """Return weight[x]."""
        return F.Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        sizes = self._kwargs
        return f"{type(self).__name__}({sizes['input_dim']} -> {sizes['output_dim']}, {sizes['dtype']})"


class Flatten(HybridBlock):
    """Reshapes (N, *rest) to a matrix (N, product of rest).

    >>> nn.Flatten()(nd.ones((2, 3, 4, 5))).shape
    (2, 60)
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return x as a matrix."""
        return F.flatten(x)

    def __repr__(self) -> str:
        return type(self).__name__


class Lambda(Block):
    """A function as a block.

    function: the name of a function in `nd`, or any `function(*args)`.

    Raises ArgumentError for anything else.

    >>> nn.Lambda("square")(nd.array([1, 2, 3])).asnumpy().tolist()
    [1.0, 4.0, 9.0]
    >>> nn.Lambda(lambda x, y: x + y)(nd.array([1]), nd.array([2])).item()
    3.0
    """

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        if isinstance(function, str):
            self._func_impl = _named(function, nd)
        elif callable(function):
            self._func_impl = function
        else:
            raise _not_a_function("Lambda", function)

    def forward(self, *args: Any) -> Any:
        """Return function(*args)."""
        return self._func_impl(*args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_impl.__name__})"


class HybridLambda(HybridBlock):
    """A function as a HybridBlock.

    function: the name of a function in `nd` and `sym`, or any `function(F, *args)`.

    Raises ArgumentError for anything else.

    >>> layer = nn.HybridLambda(lambda F, x: F.square(x) + 1)
    >>> layer.hybridize()
    >>> layer(nd.array([-3, 3])).asnumpy().tolist()
    [10.0, 10.0]
    """

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        if isinstance(function, str):
            _named(function, nd), _named(function, symbol)
            self._func_name = function
            self._func = lambda F, *args: getattr(F, function)(*args)
        elif callable(function):
            self._func_name, self._func = function.__name__, function
        else:
            raise _not_a_function("HybridLambda", function)

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        """Return function(F, x, *args)."""
        return self._func(F, x, *args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"


def _named(name, namespace):
    function = getattr(namespace, name, None)
    if function is None:
        raise ArgumentError(f"{namespace.__name__} has no function {name!r}." + nearest(name, dir(namespace)))
    return function


def _not_a_function(layer, value):
    return ArgumentError(f"{layer} takes a function or the name of one, found {type(value).__name__} {value!r}")

"""`nd.sparse`: row_sparse and csr arrays, and the operators on them.

The operators are the same as in `nd`, and take arrays of any storage type: `nd.sparse.dot` is `nd.dot`.

    storage     the memory of a sparse array
    arrays      RowSparseNDArray, CSRNDArray
    operators   runs operators on them, with a rule or on dense copies
    elements, rows, products, updates       the rules
    creation    csr_matrix, row_sparse_array, zeros, ...
"""

from __future__ import annotations

from typing import Any

from ...base import nearest
from ...frontend.namespaces import SPARSE as _OTHERS
from ...providers import ask
from . import arrays, creation, elements, products, updates
from .arrays import *
from .creation import *
from .creation import from_record
from .operators import is_sparse, run, run_any
from .rows import rows_gradient

# MXNet's names for operators that have the same name in `nd`.
_OPERATORS = [
    "ElementWiseSum", "Embedding", "FullyConnected", "LinearRegressionOutput", "LogisticRegressionOutput",
    "MAERegressionOutput", "abs", "adam_update", "add", "add_n", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
    "arctanh", "broadcast_add", "broadcast_div", "broadcast_minus", "broadcast_mul", "broadcast_plus", "broadcast_sub",
    "cbrt", "ceil", "clip", "concat", "cos", "cosh", "degrees", "divide", "dot", "elemwise_add",
    "elemwise_div", "elemwise_mul", "elemwise_sub", "exp", "expm1", "fix", "floor", "ftrl_update", "gamma", "gammaln",
    "log", "log10", "log1p", "log2", "make_loss", "mean", "multiply", "negative", "norm", "radians", "relu", "rint",
    "round", "rsqrt", "sgd_mom_update", "sgd_update", "sigmoid", "sign", "sin", "sinh", "slice", "sqrt", "square",
    "stop_gradient", "subtract", "sum", "tan", "tanh", "trunc", "where", "zeros_like"]

__all__ = [*arrays.__all__, *creation.__all__, *_OPERATORS, *_OTHERS]


def __getattr__(name: str) -> Any:
    """Returns the operators, which are looked up lazily: `nd` does not exist yet while this module is imported."""
    if name not in _OPERATORS and name not in _OTHERS:
        raise AttributeError(f"nd.sparse has no function {name!r}." + nearest(name, __all__))
    function = globals()[name] = getattr(ask("nd"), _OTHERS.get(name, name))
    return function

"""Linear algebra: see `minigluon.ops.linalg`."""

from ...table import listed
from . import fourier, parts, products

__all__ = ["fourier", "parts", "products"]

listed("ONNX has no matrix decompositions, solvers or inverses", "_linalg_gelqf", "_linalg_inverse",
       "_linalg_potrf", "_linalg_potri", "_linalg_slogdet", "_linalg_svd", "_linalg_syevd", "_linalg_trsm")

"""Rows of the operators in `minigluon/ops/linalg/products.py`."""

import numpy as np

from ..case import case, u
from ..matrices import t

case("batch_dot", u(3, 2, 4), u(3, 4, 5), expect=np.matmul)
case("batch_dot", u(3, 4, 2), u(3, 4, 5), transpose_a=True, expect=lambda a, b: t(a) @ b)
case("batch_dot", u(3, 2, 4), u(3, 5, 4), transpose_b=True, expect=lambda a, b: a @ t(b))
case("batch_dot", u(3, 4, 2), u(3, 5, 4), transpose_a=True, transpose_b=True, expect=lambda a, b: t(a) @ t(b))
case("linalg_gemm2", u(2, 3), u(3, 4), alpha=2.5, expect=lambda a, b: 2.5 * a @ b)
case("linalg_gemm2", u(2, 5, 4, 3), u(2, 5, 4, 6), transpose_a=True, expect=lambda a, b: t(a) @ b)
case("linalg_gemm2", u(2, 3, 4), u(2, 5, 4), transpose_b=True, alpha=-1, expect=lambda a, b: -a @ t(b))
case("linalg_gemm2", u(3, 2, 4), u(5, 2, 3), transpose_a=True, transpose_b=True, axis=0,
     expect=lambda a, b: np.einsum("kbm,nbk->mbn", a, b))
case("linalg_gemm2", u(3, 2, 4), u(4, 2, 5), axis=0, expect=lambda a, b: np.einsum("mbk,kbn->mbn", a, b))
case("linalg_gemm", u(2, 3), u(3, 4), u(2, 4), alpha=2, beta=0.5, expect=lambda a, b, c: 2 * a @ b + 0.5 * c)
case("linalg_gemm", u(2, 3, 4), u(2, 5, 3), u(2, 4, 5), transpose_a=True, transpose_b=True,
     expect=lambda a, b, c: t(a) @ t(b) + c)
case("linalg_gemm", u(3, 2, 4), u(4, 2, 5), u(3, 2, 5), axis=-3,
     expect=lambda a, b, c: np.einsum("mbk,kbn->mbn", a, b) + c)
case("linalg_syrk", u(2, 3), expect=lambda a: a @ a.T)
case("linalg_syrk", u(3, 2, 4), transpose=True, alpha=0.5, expect=lambda a: 0.5 * t(a) @ a)

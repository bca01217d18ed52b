"""Rows of the operators in `minigluon/ops/linalg/factor.py`."""

import numpy as np

from ..case import case, u
from ..matrices import t, tri


def spd(*shape):
    """Symmetric positive definite matrices."""
    def make(rng):
        x = rng.uniform(-1, 1, shape)
        return x @ x.swapaxes(-1, -2) + 2 * np.eye(shape[-1])
    return make

# LAPACK reads one triangle of a symmetric matrix, so changing one element says nothing about the gradient, which takes
# changes of both: tests/ops/linalg/test_factor.py checks these gradients.
case("linalg_potrf", spd(3, 3), expect=np.linalg.cholesky, grad=())
case("linalg_potrf", spd(2, 4, 4), expect=np.linalg.cholesky, grad=())
case("linalg_potri", tri(3, 3), expect=lambda a: np.linalg.inv(np.tril(a) @ np.tril(a).T))
case("linalg_potri", tri(2, 2, 2), expect=lambda a: np.linalg.inv(np.tril(a) @ t(np.tril(a))))
case("linalg_gelqf", u(2, 4))
case("linalg_gelqf", u(3, 2, 3))
case("linalg_gelqf", u(3, 3))
case("_linalg_syevd", spd(3, 3), grad=())
case("_linalg_syevd", spd(2, 4, 4), grad=())
case("_linalg_svd", u(3, 3), oracle="MXNet has it for mx.np only, as _npi_svd")
case("_linalg_svd", u(2, 4), oracle="MXNet has it for mx.np only, as _npi_svd")
case("_linalg_svd", u(2, 4, 3), oracle="MXNet has it for mx.np only, as _npi_svd")
case("linalg_inverse", tri(3, 3), expect=np.linalg.inv)
case("linalg_inverse", tri(2, 2, 2), expect=np.linalg.inv)
case("linalg_det", tri(3, 3), expect=lambda a: np.linalg.det(a).reshape(1))
case("linalg_det", tri(2, 2, 3, 3), expect=np.linalg.det)
case("linalg_slogdet", tri(3, 3), expect=lambda a: [np.reshape(x, 1) for x in np.linalg.slogdet(a)])
case("linalg_slogdet", tri(4, 2, 2), expect=lambda a: list(np.linalg.slogdet(a)))
case("linalg_sumlogdiag", tri(3, 3), expect=lambda a: np.log(np.diag(a)).sum().reshape(1))
case("linalg_sumlogdiag", tri(2, 3, 3), expect=lambda a: np.array([np.log(np.diag(m)).sum() for m in a]))

# of the upper triangle
case("linalg_potrf", spd(3, 3), lower=False, expect=lambda a: t(np.linalg.cholesky(a)), grad=())
case("linalg_potrf", spd(2, 4, 4), lower=False, expect=lambda a: t(np.linalg.cholesky(a)), grad=())
case("linalg_potri", tri(2, 3, 3), lower=False, expect=lambda a: np.linalg.inv(t(np.triu(a)) @ np.triu(a)))

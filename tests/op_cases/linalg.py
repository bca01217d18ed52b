import numpy as np

from .case import case, u


def spd(*shape):
    """Symmetric positive definite matrices."""
    def make(rng):
        x = rng.uniform(-1, 1, shape)
        return x @ x.swapaxes(-1, -2) + 2 * np.eye(shape[-1])
    return make


def tri(*shape, lower=True):
    """Well conditioned matrices of which one triangle counts; the other holds numbers that must not matter."""
    return lambda rng: rng.uniform(-0.5, 0.5, shape) + 2 * np.eye(shape[-1])


def t(a):
    return a.swapaxes(-1, -2)


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

# LAPACK reads one triangle of a symmetric matrix, so changing one element says nothing about the gradient, which takes
# changes of both: tests/ops/linalg/test_linalg.py checks these gradients.
case("linalg_potrf", spd(3, 3), expect=np.linalg.cholesky, grad=())
case("linalg_potrf", spd(2, 4, 4), expect=np.linalg.cholesky, grad=())
case("linalg_potri", tri(3, 3), expect=lambda a: np.linalg.inv(np.tril(a) @ np.tril(a).T))
case("linalg_potri", tri(2, 2, 2), expect=lambda a: np.linalg.inv(np.tril(a) @ t(np.tril(a))))
for right in (False, True):
    for transpose in (False, True):
        for lower in (True, False):
            def op(a, lower=lower, transpose=transpose):
                a = np.tril(a) if lower else np.triu(a)
                return t(a) if transpose else a

            shape = (2, 4, 3) if right else (2, 3, 4)
            flags = {"rightside": right, "transpose": transpose, "lower": lower, "alpha": 1.5}
            case("linalg_trmm", tri(2, 3, 3), u(*shape), **flags,
                 expect=lambda a, b, op=op, right=right: 1.5 * (b @ op(a) if right else op(a) @ b))
            case("linalg_trsm", tri(2, 3, 3), u(*shape), **flags,
                 expect=lambda a, b, op=op, right=right: 1.5 * (b @ np.linalg.inv(op(a)) if right else
                                                                np.linalg.inv(op(a)) @ b))
case("linalg_trmm", tri(3, 3), u(3, 2), expect=lambda a, b: np.tril(a) @ b)
case("linalg_trsm", tri(3, 3), u(3, 2), expect=lambda a, b: np.linalg.inv(np.tril(a)) @ b)
case("linalg_gelqf", u(2, 4))
case("linalg_gelqf", u(3, 2, 3))
case("linalg_gelqf", u(3, 3))
case("_linalg_syevd", spd(3, 3), grad=())
case("_linalg_syevd", spd(2, 4, 4), grad=())
case("linalg_inverse", tri(3, 3), expect=np.linalg.inv)
case("linalg_inverse", tri(2, 2, 2), expect=np.linalg.inv)
case("linalg_det", tri(3, 3), expect=lambda a: np.linalg.det(a).reshape(1))
case("linalg_det", tri(2, 2, 3, 3), expect=np.linalg.det)
case("linalg_slogdet", tri(3, 3), expect=lambda a: [np.reshape(x, 1) for x in np.linalg.slogdet(a)])
case("linalg_slogdet", tri(4, 2, 2), expect=lambda a: list(np.linalg.slogdet(a)))
case("linalg_sumlogdiag", tri(3, 3), expect=lambda a: np.log(np.diag(a)).sum().reshape(1))
case("linalg_sumlogdiag", tri(2, 3, 3), expect=lambda a: np.array([np.log(np.diag(m)).sum() for m in a]))
for offset in (0, 1, -1, 2):
    def extracted(a, offset=offset):
        return np.stack([np.diag(m, offset) for m in a.reshape(-1, *a.shape[-2:])]).reshape(*a.shape[:-2], -1)

    case("linalg_extractdiag", u(2, 3, 3), offset=offset, expect=extracted)
    case("linalg_makediag", u(2, 3), offset=offset,
         expect=lambda a, offset=offset: np.stack([np.diag(v, offset) for v in a]))
case("linalg_extractdiag", u(3, 3), expect=np.diag)
case("linalg_makediag", u(3), expect=np.diag)
for offset, lower in ((0, True), (0, False), (1, True), (-1, True), (-1, False), (2, False)):
    below = offset < 0 or (offset == 0 and lower)

    def mask(n, offset=offset, below=below):
        return np.tri(n, k=offset if below else -offset).astype(bool)

    def taken(a, mask=mask, below=below):
        return (a if below else t(a))[..., mask(a.shape[-1])]        # an upper triangle goes column by column

    def made(v, offset=offset, mask=mask, below=below):
        n = 3 + abs(offset)
        out = np.zeros((*v.shape[:-1], n, n), v.dtype)
        out[..., mask(n)] = v
        return out if below else t(out)

    case("linalg_extracttrian", u(2, 4, 4), offset=offset, lower=lower, expect=taken)
    case("linalg_maketrian", u(2, 6), offset=offset, lower=lower, expect=made)
case("linalg_extracttrian", u(3, 3), expect=lambda a: a[np.tri(3).astype(bool)])
case("linalg_maketrian", u(3), expect=lambda a: np.array([[a[0], 0], [a[1], a[2]]]))

# of the upper triangle
case("linalg_potrf", spd(3, 3), lower=False, expect=lambda a: t(np.linalg.cholesky(a)), grad=())
case("linalg_potrf", spd(2, 4, 4), lower=False, expect=lambda a: t(np.linalg.cholesky(a)), grad=())
case("linalg_potri", tri(2, 3, 3), lower=False, expect=lambda a: np.linalg.inv(t(np.triu(a)) @ np.triu(a)))

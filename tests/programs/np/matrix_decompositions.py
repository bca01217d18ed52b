"""Eigenvalues, powers of a matrix, singular values, determinants, angles, and einsum."""

from ._tools import draw


def run(mx, show):
    np, npx = mx.np, mx.npx
    A = np.array([[2.0, 1], [1, 3]])
    w, v = np.linalg.eigh(A)
    show("symmetric", [w, np.abs(v), np.dot(v * w, v.T)])
    show("values", np.linalg.eigvalsh(A))
    B = np.array([[1.0, 0.1, 0.1, 0.1], [0.1, 3.0, 0.2, 0.3], [0.1, 0.2, 5.0, 0.5], [0.1, 0.3, 0.5, 9.0]])
    values, _ = np.linalg.eig(B)
    show("eig", np.sort(values))
    k = 4
    M = np.array(draw(2, k, k))
    x = np.array(draw(3, k, 1))
    norms = [float(np.linalg.norm(x))]
    for _ in range(20):
        x = np.dot(M, x)
        norms.append(float(np.linalg.norm(x)))
    ratios = [b / a for a, b in zip(norms, norms[1:])]
    show("growth", [norms[:5], ratios[-3:]])
    M = M / ratios[-1]
    show("rescaled", [np.linalg.norm(M), np.linalg.det(M), np.linalg.slogdet(M)[1], np.trace(M)])
    show("inverse", [np.dot(np.linalg.inv(B), B).round(3), np.linalg.solve(B, np.ones(4)), np.linalg.pinv(B[:2]).shape])
    U, S, V = np.linalg.svd(B[:3])
    show("svd", [S, np.dot(U * S, V)])
    show("cholesky", np.linalg.cholesky(B))

    def angle(a, b):
        return np.arccos(a.dot(b) / (np.linalg.norm(a) * np.linalg.norm(b)))

    show("angle", [angle(np.array([0, 1, 2]), np.array([2.0, 3, 4])), np.degrees(angle(A[0], A[1]))])
    X, Y = np.array(draw(4, 2, 3, 4)), np.array(draw(5, 4, 3))
    show("einsum", [np.einsum("ij,j", A, w), np.einsum("ijk,kl->il", X, Y), np.einsum("kl,ijk->jl", Y, X),
                    np.einsum("ii", B), np.einsum("i,j->ij", w, A[0])])
    show("products", [np.tensordot(X, Y, axes=([1, 2], [1, 0])), np.outer(w, w), np.inner(X, Y.T), np.vdot(A, A),
                      np.kron(w, A[0]) if hasattr(np, "kron") else np.outer(w, A[0]).reshape(-1)])
    show("triangles", [np.tril(B), np.triu(B, k=1) if hasattr(np, "triu") else B - np.tril(B), np.diag(B),
                       np.diag(w), np.eye(3, k=1)])
    show("distances", [np.sqrt(((X[0] - X[1]) ** 2).sum(axis=1)), np.abs(X).max(axis=(0, 2)),
                       npx.batch_dot(X, X, transpose_b=True)])

"""Rows of the operators in `minigluon/ops/linalg/parts.py`."""

import numpy as np

from ..case import case, u
from ..matrices import t

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

"""One table of operators: inputs, attributes, expected results. The tests of `test_ops.py` are derived from it.

One file for each family of `minigluon/ops`, in the folder of its street. It needs NumPy alone, so that
`record_mxnet.py` can run the same cases in the real MXNet 1.9.1.
"""

import importlib
import pkgutil

from .case import CASES, Case

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)

_seen = {}
for _case in CASES:
    assert _case.id not in _seen, f"two cases are called {_case.id}"
    _seen[_case.id] = _case

__all__ = ["CASES", "Case"]

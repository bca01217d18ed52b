"""The interface for accelerators, the reference backend, which runs everywhere, and the choice of a backend by device.

`contract.py` is the whole interface: memory, copies, and

    prepare(op, inputs, outputs, train, rng) -> Kernel          kernel.run(inputs) -> outputs

`inputs` and `outputs` are `Spec`s (shape, dtype). A Kernel returns its results in new memory (`run`) or fills given
memory (`write`). A buffer is whatever the backend allocates; it has `shape` and `dtype`. Imperative execution prepares
a kernel once per operator and specs, and runs it immediately. A hybridized graph prepares every node with its buffers
assigned, and is then run many times.

A backend only accelerates and never defines results: if it has no kernel, the reference runs and the decline is
counted.
"""

from .contract import CONTRACT, Backend, Kernel, Spec
from .numpy import ReferenceBackend
from .registry import available, use_backend
from .table import backend_for

__all__ = ["CONTRACT", "Backend", "Kernel", "ReferenceBackend", "Spec", "available", "backend_for", "use_backend"]

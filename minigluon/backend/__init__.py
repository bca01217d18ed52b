"""What an accelerator has to offer, the reference that runs everywhere, and which one serves a device.

`contract.py` is the whole of it: memory, copies, and

    prepare(op, inputs, outputs, train, rng) -> Kernel          kernel.run(inputs) -> outputs

`inputs` and `outputs` are `Spec`s (shape, dtype). A Kernel makes its results in new memory (`run`) or fills memory that
it is given (`write`). A buffer is whatever the backend allocates; it has `shape` and `dtype`. Imperative execution
prepares once for each operator and specs, and runs at once; a hybridized graph prepares every node with its buffers
assigned, and runs many times.

A backend accelerates and never defines: where it has no kernel, the reference runs and the decline is counted.
"""

from .contract import CONTRACT, Backend, Kernel, Spec
from .numpy import ReferenceBackend
from .registry import available, use_backend
from .serving import backend_for

__all__ = ["CONTRACT", "Backend", "Kernel", "ReferenceBackend", "Spec", "available", "backend_for", "use_backend"]

"""What an accelerator has to offer, the reference that runs everywhere, and which one serves a device.

A backend knows four things: allocate, copy in and out, synchronize, and

    prepare(op, inputs, outputs, train, rng) -> kernel        kernel(inputs, outputs=None) -> outputs

`inputs` and `outputs` of `prepare` are `Spec`s (shape, dtype). A kernel takes a list of buffers. With `outputs` it
fills those; without, it makes its own and returns them. A buffer is whatever the backend allocates; it has `shape`
and `dtype`. Imperative execution prepares once for each operator and specs, and runs at once; a hybridized graph
prepares every node with its buffers assigned, and runs many times.

A backend accelerates and never defines: where it has no kernel, the reference runs and the decline is counted.
"""

from .reference import ReferenceBackend
from .registry import Backend, Spec, available, backend_for, use_backend

__all__ = ["Backend", "ReferenceBackend", "Spec", "available", "backend_for", "use_backend"]

"""Exporting a HybridBlock to files with `export` and `export_onnx`, and `optimize_for` a backend."""

from __future__ import annotations

from typing import Any

from .. import autograd
from ..base import ArgumentError
from ..diagnostics import strictness
from ..hybrid import FLAGS
from ..hybrid.registered_passes import is_registered
from ..providers import ask
from .export import example_arguments, export

__all__ = ["HybridExport"]


class HybridExport:
    """Mixin for HybridBlock that writes its graph to files and accepts backends by name."""

    def export(self, path: str, epoch: int = 0, remove_amp_cast: bool = True) -> tuple[str, str]:
        """Write the graph to '<path>-symbol.json' and the parameters to '<path>-<epoch>.params', like MXNet.

        SymbolBlock.imports reads them, here and in MXNet. The inputs are called 'data', or 'data0', 'data1', ... if
        there are several. remove_amp_cast: if True, omit the conversions of automatic mixed precision. After a crash,
        old files are intact.

        Raises UninitializedError or DeferredInitializationError if a parameter has no value.

        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.export("dense", epoch=7)
        >>> gluon.SymbolBlock.imports("dense-symbol.json", ["data"], "dense-0007.params")(nd.ones((5, 3))).shape
        (5, 2)
        """
        export(self, self._trace_to_export(), path, epoch, remove_amp_cast)

    def export_onnx(self, path: str, *args: Any, dynamic: bool = True, **options: Any) -> str:
        """Write the block as an ONNX file for arguments such as `args`. Returns the path.

        dynamic: if True, leave the batch size variable, named 'batch': axis 0 of each array, or the axis that a layer's
        layout specifies. With layout TNC, axis 0 is left variable, named 'time'. dynamic_input_shapes overrides this.
        options: options of `mx.onnx.export_model`, such as opset_version.

        Raises TranslationError, which names all nodes that cannot be exported, and MXNetError if the package onnx is
        not installed.

        >>> net = nn.Dense(2, in_units=3)
        >>> net.initialize()
        >>> net.export_onnx("dense.onnx", nd.ones((5, 3)))
        'dense.onnx'
        """
        return ask("onnx.exporter").export_block(self, path, args, dynamic, **options)

    def _trace_to_export(self):
        """Return an inference trace: one from a previous call, otherwise a new one for the required arguments of
        `hybrid_forward`.
        """
        ran = next((graph.trace for graph in self._graphs.values() if False in graph.modes), None)
        if ran is None:
            with autograd.predict_mode():
                ran = self._trace_for(example_arguments(self))
        return ran

    def optimize_for(self, x: Any, *args: Any, backend: str | None = None, clear: bool = False, **kwargs: Any) -> Any:
        """Hybridize and infer parameter shapes from example inputs, without a forward pass.

        x, args: example arguments for the block.
        backend: a custom pass (see `minigluon.hybrid.register_pass`). In MXNet it can also be a library that runs parts
            of the graph. Such libraries are not supported, and a warning says so.
        clear, kwargs: as in `hybridize`. A backend's options in kwargs are ignored.

        >>> import warnings
        >>> layer = nn.Dense(2)
        >>> layer.initialize()
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     layer.optimize_for(nd.ones((5, 3)), backend="TensorRT")
        >>> layer.weight.shape, len(caught)
        ((2, 3), 1)
        """
        if not backend:
            raise ArgumentError(f"{type(self).__name__} {self.name!r}: optimize_for needs the name of a backend. To "
                                "optimize the graph for its device, call hybridize().")
        if not is_registered(backend):
            strictness.warn(f"optimize_for(backend={backend!r}): minigluon has no backends that take parts of a graph "
                            "(such as TensorRT, oneDNN or extension libraries). The block is hybridized, with the same "
                            "results.")
            backend = None
        self.hybridize(True, backend, clear, **{key: value for key, value in kwargs.items() if key in FLAGS})
        self._finish_deferred((x, *args))

"""Attributes of a DataParallelExecutorGroup under MXNet's names, which programs and libraries read."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...io import DataDesc
    from ...symbol import Symbol

__all__ = ["GroupViews"]

MB = 1 << 20


class GroupViews:
    """Mixin for DataParallelExecutorGroup with properties that only other programs read.

    >>> net = sym.LinearRegressionOutput(sym.FullyConnected(sym.var("data"), num_hidden=1), sym.var("label"))
    >>> module = mx.mod.Module(net, label_names=["label"])
    >>> module.bind([("data", (4, 2))], [("label", (4, 1))])
    >>> group = module._exec_group
    >>> group.output_names, group.label_names, group.grad_req["label"], group.data_arrays[0][0][1].shape
    (['linearregressionoutput0_output'], ['label'], 'null', (4, 2))
    >>> group.arg_names, group.num_outputs, group.label_arrays[0][0][1].shape, group.state_arrays
    (['data', 'fullyconnected0_weight', 'fullyconnected0_bias', 'label'], 1, (4, 1), [])
    >>> group.data_layouts, group.label_layouts, group.output_layouts, group.input_grad_arrays, group.logger.__name__
    ([0], [0], [0], None, 'logging')
    """

    symbol: Symbol
    arguments: set[Any]
    data_shapes: Sequence[DataDesc]
    label_shapes: Sequence[DataDesc] | None
    data_axes: list[int]
    data_names: list[Any]
    slices: list[slice]
    state_names: list[Any]
    execs: list[Any]
    inputs_need_grad: bool
    fixed_param_names: list[Any]
    _reqs: dict[str, str]
    _axes: list[int]

    @property
    def grad_req(self) -> dict[str, str]:
        """{argument: 'write', 'add' or 'null'}."""
        return self._reqs

    @property
    def arg_names(self) -> list[str]:
        """All arguments of the graph."""
        return self.symbol.list_arguments()

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs."""
        return self.symbol.list_outputs()

    @property
    def num_outputs(self) -> int:
        """The number of outputs."""
        return len(self.output_names)

    @property
    def label_names(self) -> list[str] | None:
        """The names of the labels, or None if there are no labels."""
        return None if self.label_shapes is None else [desc.name for desc in self.label_shapes]

    @property
    def data_layouts(self) -> list[int]:
        """The batch axis of each array of data."""
        return self.data_axes

    @property
    def label_layouts(self) -> list[int] | None:
        """The batch axis of each label."""
        from_layout = [desc.layout.find("N") if desc.layout else 0 for desc in self.label_shapes or ()]
        return None if self.label_shapes is None else from_layout

    @property
    def output_layouts(self) -> list[int]:
        """The batch axis of each output."""
        return self._axes

    @property
    def logger(self) -> ModuleType:
        """Python's logging."""
        return logging

    @property
    def data_arrays(self) -> list[list[tuple[slice, Any]]]:
        """(samples, array) on all devices, for each data array."""
        return self._inputs(self.data_names)

    @property
    def label_arrays(self) -> list[list[tuple[slice, Any]]] | None:
        """(samples, array) on all devices, for each label."""
        return None if self.label_names is None else self._inputs(self.label_names)

    @property
    def state_arrays(self) -> list[list[Any]]:
        """The arrays on all devices, for each state."""
        return [[executor.arg_dict[name] for executor in self.execs] for name in self.state_names]

    @property
    def input_grad_arrays(self) -> list[list[Any]] | None:
        """The gradients on all devices for each data array, if inputs_need_grad."""
        if not self.inputs_need_grad:
            return None
        return [[executor.grad_dict[name] for executor in self.execs] for name in self.data_names
                if name in self.arguments]

    @property
    def _total_exec_bytes(self) -> int:
        """The memory planned for intermediate values, in whole MB, as in MXNet."""
        return sum(executor._runner.planned_bytes() // MB for executor in self.execs)

    def _inputs(self, names):
        return [[(part, executor.arg_dict[name]) for part, executor in zip(self.slices, self.execs, strict=True)]
                for name in names if name in self.arguments]

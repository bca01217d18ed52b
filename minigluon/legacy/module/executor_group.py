"""DataParallelExecutorGroup: one executor per device, with its part of every batch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import autograd
from ... import ndarray as nd
from ...base import ArgumentError, MXNetError, ShapeError, listed
from ...context import cpu
from ...io import DataDesc
from ..executor.inference import infer_shapes
from .group_views import GroupViews
from .slices import batch_axis, merged, part_of, slices_of

if TYPE_CHECKING:
    from ...context import Context
    from ...io.io import DataBatch
    from ...metric.classification import Accuracy
    from ...ndarray import NDArray
    from ...symbol import Symbol
    from ..monitor import Monitor

__all__ = ["DataParallelExecutorGroup"]


class DataParallelExecutorGroup(GroupViews):
    """The executors of a symbol on several devices, used like a single executor.

    contexts, workload: the devices and their shares of a batch.
    data_shapes, label_shapes: lists of DataDesc.
    param_names: the learned arguments.
    shared_group: another group whose parameter arrays are reused.
    group2ctxs: for each context, {group of the graph: device} or None.
    """

    contexts: Sequence[Context]
    symbol: Symbol
    workload: Sequence[int]
    param_names: Sequence[str]
    state_names: list[Any]
    for_training: bool
    inputs_need_grad: bool
    data_shapes: Sequence[DataDesc]
    label_shapes: Sequence[DataDesc] | None
    data_axes: list[int]
    slices: list[slice]
    execs: list[Any]

    def __init__(self, symbol: Symbol, contexts: Sequence[Context], workload: Sequence[int],
                 data_shapes: Sequence[DataDesc], label_shapes: Sequence[DataDesc] | None, param_names: Sequence[str],
                 for_training: bool, inputs_need_grad: bool, shared_group: DataParallelExecutorGroup | None = None,
                 fixed_param_names: Sequence[Any] = (), grad_req: str = "write", state_names: Sequence[Any] = (),
                 group2ctxs: Sequence[Any] | None = None):
        self.symbol, self.contexts, self.workload = symbol, contexts, workload
        self.param_names, self.state_names = param_names, list(state_names)
        self.group2ctxs: list[Any] = [None] * len(contexts) if group2ctxs is None else group2ctxs
        self.aux_names: list[str] = symbol.list_auxiliary_states()
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self.arguments: set[Any] = set(symbol.list_arguments())
        self.data_names: list[Any] = [desc.name for desc in data_shapes]
        self.fixed_param_names: list[Any] = list(fixed_param_names or ())
        self._reqs = self._requests(grad_req, set(self.fixed_param_names))
        self._learned = [name for name in param_names if name in self.arguments]
        self._axes = [_axis_of(out) for out in symbol]
        self.execs = []
        self.bind_exec(data_shapes, label_shapes, shared_group)

    def _requests(self, grad_req, fixed):
        """Return {argument: 'write', 'add' or 'null'}."""
        names = self.symbol.list_arguments()
        if isinstance(grad_req, (list, tuple)):
            grad_req = dict(zip(names, grad_req, strict=True))
        of = grad_req.get if isinstance(grad_req, dict) else lambda name, default: grad_req
        reqs = {}
        for name in names:
            learned = name in self.param_names and name not in fixed
            needs_grad = self.for_training and (learned or name in self.data_names and self.inputs_need_grad)
            reqs[name] = of(name, "write") if needs_grad else "null"
        return reqs

    def bind_exec(self, data_shapes: Sequence[DataDesc], label_shapes: Sequence[DataDesc] | None,
                  shared_group: DataParallelExecutorGroup | None = None) -> None:
        """Create the executors for batches of these shapes, or reshape existing executors.

        data_shapes, label_shapes: [(name, shape)] of a batch.
        shared_group: another group whose parameter arrays are reused.
        """
        if self.execs:
            self._require_same_parameters([*data_shapes, *(label_shapes or [])])
        self.data_shapes, self.label_shapes = data_shapes, label_shapes
        self.data_axes = [batch_axis(desc) for desc in data_shapes]
        self.batch_size = data_shapes[0].shape[max(self.data_axes[0], 0)]
        self.slices = slices_of(self.batch_size, self.workload)
        self._check_lengths([*data_shapes, *(label_shapes or [])])
        filled = [desc for desc in [*data_shapes, *(label_shapes or [])] if desc.name in self.arguments]
        before, self.execs = self.execs, []
        for number, ctx in enumerate(self.contexts):
            shapes = {desc.name: self._part(desc, number) for desc in filled}
            if before:
                self.execs.append(before[number].reshape(allow_up_sizing=True, partial_shaping=True, **shapes))
            else:
                types = {desc.name: desc.dtype for desc in filled}
                self.execs.append(self._bound(number, ctx, shapes, types, shared_group))

    def _check_lengths(self, descs):
        """Raise ShapeError unless all arrays have as many samples as the first data array."""
        for desc in descs:
            axis = batch_axis(desc)
            if axis >= 0 and desc.shape[axis] != self.batch_size:
                raise ShapeError(f"bind: {desc.name!r} has shape {desc.shape}, so its batch has {desc.shape[axis]} "
                                 f"samples, but {descs[0].name!r} has {self.batch_size}")

    def _require_same_parameters(self, descs):
        """Raise ShapeError, before anything changes, if such batches require parameters with different shapes."""
        shapes_of = infer_shapes(self.symbol, {d.name: d.shape for d in descs if d.name in self.arguments}, "reshape")
        for name, array in {**self.execs[0].arg_dict, **self.execs[0].aux_dict}.items():
            if name in self.param_names + self.aux_names and array.shape != shapes_of[name]:
                raise ShapeError(f"reshape: parameter {name!r} has shape {array.shape}, but batches of "
                                 f"{listed(f'{d.name} {d.shape}' for d in descs)} need {shapes_of[name]}. Only the "
                                 "size of the batch and other lengths that no parameter depends on may change.")

    def _part(self, desc, number):
        """Return the shape of a device's part of an array, or the full shape if it has no batch axis."""
        axis, part = batch_axis(desc), self.slices[number]
        return desc.shape if axis < 0 else (*desc.shape[:axis], part.stop - part.start, *desc.shape[axis + 1:])

    def _bound(self, number, ctx, shapes, types, shared_group):
        """Return a new executor for a device. shapes, types: {name: shape} and {name: dtype} of a batch's arrays."""
        shared = None if shared_group is None else shared_group.execs[number]
        names = None if shared is None else [name for name in self._learned if name in shared.arg_dict]
        return self.symbol.simple_bind(ctx, grad_req=self._reqs, type_dict=types, group2ctx=self.group2ctxs[number],
                                       shared_exec=shared, shared_arg_names=names, **shapes)

    # -- parameters ---------------------------------------------------------------------------------------------

    @property
    def param_arrays(self):
        """The arrays on all devices, for each learned argument."""
        return [[e.arg_dict[name] for e in self.execs] for name in self._learned]

    @property
    def grad_arrays(self):
        """The gradients on all devices, for each learned argument; None for a fixed argument."""
        return [[e.grad_dict[name] for e in self.execs] for name in self._learned]

    @property
    def aux_arrays(self):
        """The arrays on all devices, for each auxiliary state."""
        return [[e.aux_dict[name] for e in self.execs] for name in self.aux_names]

    def set_params(self, arg_params: dict[str, NDArray], aux_params: dict[str, Any], allow_extra: bool = False) -> None:
        """Copy values to all devices.

        arg_params, aux_params: {name: NDArray}.
        allow_extra: whether to ignore names that the graph does not have.
        """
        for executor in self.execs:
            executor.copy_params_from(arg_params, aux_params, allow_extra_params=allow_extra)

    def get_params(self, arg_params: dict[str, NDArray], aux_params: dict[str, Any]) -> None:
        """Copy the means over the devices into the arrays in two dicts.

        arg_params, aux_params: {name: NDArray}, which are overwritten.
        """
        with autograd.pause():
            for names, of_all, target in ((self._learned, self.param_arrays, arg_params),
                                          (self.aux_names, self.aux_arrays, aux_params)):
                for name, arrays in zip(names, of_all, strict=True):
                    mean = _mean_on_cpu(arrays)
                    if name in target:
                        target[name][:] = mean
                    else:
                        target[name] = mean.copy()

    # -- running ------------------------------------------------------------------------------------------------

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Pass each device its part of the batch and compute the outputs there.

        data_batch: a DataBatch.
        is_train: whether to use training mode; None uses the mode set by `bind`.
        """
        is_train = self.for_training if is_train is None else is_train
        if isinstance(data_batch, list):        # one batch for each device
            parts = data_batch
            if len(parts) != len(self.execs):
                raise ArgumentError(f"forward: {len(parts)} batches for {len(self.execs)} devices")
        else:
            parts = [data_batch] * len(self.execs)
        for number, (executor, batch) in enumerate(zip(self.execs, parts, strict=True)):
            cut = self.slices[number] if batch is data_batch and len(self.execs) > 1 else None
            values = dict(self._values(self.data_shapes, batch.data, cut))
            if self.label_shapes and batch.label:
                values.update(self._values(self.label_shapes, batch.label, cut))
            executor.forward(is_train=is_train,
                             **{name: x for name, x in values.items() if name in self.arguments})

    def _values(self, descs, arrays, cut):
        """Yield (name, NDArray) for each of a batch's arrays. cut: the samples of one device; None for all samples."""
        if len(arrays) != len(descs):
            raise ArgumentError(f"forward: the batch has {len(arrays)} arrays for "
                                f"{', '.join(desc.name for desc in descs)}")
        for desc, x in zip(descs, arrays, strict=True):
            x = x if isinstance(x, nd.NDArray) else nd.array(x)
            yield desc.name, x if cut is None else part_of(x, batch_axis(desc), cut)

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients on every device. out_grads: the gradients for the entire batch, which are split like
        the batch.
        """
        if not self.for_training:
            raise MXNetError("backward: the module was bound with for_training=False")
        if out_grads is not None and not isinstance(out_grads, (list, tuple)):
            out_grads = [out_grads]
        for number, executor in enumerate(self.execs):
            grads = out_grads
            if out_grads is not None:
                cut = self.slices[number] if len(self.execs) > 1 else None
                grads = [(x if cut is None else part_of(x, axis, cut)).as_in_context(self.contexts[number])
                         for x, axis in zip(out_grads, self._axes, strict=True)]
            executor._backward(grads, keep=False)

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs, either joined or each as a list over the devices.

        merge_multi_context: whether to join the outputs.
        """
        outputs = [list(of_all) for of_all in zip(*[e.outputs for e in self.execs], strict=True)]
        return merged(outputs, self._axes) if merge_multi_context else outputs

    def get_output_shapes(self) -> list[Any]:
        """Return [(name, shape)] of the joined outputs."""
        shapes = []
        for number, (name, axis) in enumerate(zip(self.symbol.list_outputs(), self._axes, strict=True)):
            parts = [e.outputs[number].shape for e in self.execs]
            shape = list(parts[0])
            if axis >= 0 and shape:
                shape[axis] = sum(part[axis] for part in parts)
            shapes.append((name, tuple(shape)))
        return shapes

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the data.

        merge_multi_context: as in `get_outputs`.
        """
        if not self.inputs_need_grad:
            raise MXNetError("get_input_grads: the module was bound without inputs_need_grad=True")
        grads = [[e.grad_dict[name] for e in self.execs] for name in self.data_names]
        return merged(grads, self.data_axes) if merge_multi_context else grads

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the arrays of the states.

        merge_multi_context: as in `get_outputs`.
        """
        states = [[e.arg_dict[name] for e in self.execs] for name in self.state_names]
        return merged(states, [0] * len(states)) if merge_multi_context else states

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the states to arrays (a list over the devices for each state, or one array for all), or to a number.

        value: the number.
        """
        if (states is None) == (value is None):
            raise ArgumentError("set_states takes either states or value")
        with autograd.pause():
            for number, name in enumerate(self.state_names):
                state = None if states is None else states[number]
                parts = state if isinstance(state, (list, tuple)) else [state] * len(self.execs)
                for device, (executor, x) in enumerate(zip(self.execs, parts, strict=True)):
                    if x is not None and parts is not state and len(self.execs) > 1:
                        x = part_of(x, 0, self.slices[device])
                    target = executor.arg_dict[name]
                    target[:] = value if x is None else x.as_in_context(target.context)

    def update_metric(self, eval_metric: Accuracy, labels: Sequence[NDArray], pre_sliced: bool) -> None:
        """Update a metric with the outputs of every device.

        eval_metric: the EvalMetric.
        labels: the labels of the batch.
        pre_sliced: whether labels are a list with one item for each device.
        """
        names = [desc.name for desc in self.label_shapes or []]
        for number, executor in enumerate(self.execs):
            of_device = labels[number] if pre_sliced else labels or []
            if not pre_sliced and len(self.execs) > 1:
                of_device = [part_of(x, batch_axis(desc), self.slices[number])
                             for x, desc in zip(of_device, self.label_shapes or [], strict=True)]
            eval_metric.update_dict(OrderedDict(zip(names, of_device, strict=False)),
                                    OrderedDict(zip(self.symbol.list_outputs(), executor.outputs, strict=True)))

    def install_monitor(self, mon: Monitor) -> None:
        """Install a Monitor on all devices.

        mon: the Monitor.
        """
        for executor in self.execs:
            mon.install(executor)


def _mean_on_cpu(arrays):
    """Return the mean of arrays on several devices, on the CPU; a single array that is on the CPU is not copied."""
    mean = arrays[0].as_in_context(cpu())
    for x in arrays[1:]:
        mean = mean + x.as_in_context(cpu())
    return mean / len(arrays) if len(arrays) > 1 else mean


def _axis_of(output):
    """Return the batch axis of an output of the symbol according to its layout, or 0 if it has no layout."""
    return DataDesc.get_batch_axis(output.attr("__layout__"))

"""PythonModule, a module whose computation is custom Python code, and PythonLossModule, a loss in Python."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ... import ndarray as nd
from ...base import ArgumentError, DTypeError, MXNetError
from .base_module import SGD, UNIFORM, BaseModule

if TYPE_CHECKING:
    from ...ndarray import NDArray
    from ...optimizer import Optimizer

__all__ = ["PythonLossModule", "PythonModule"]


class PythonModule(BaseModule):
    """A module without parameters. A subclass defines forward, backward, get_outputs, get_input_grads and
    `_compute_output_shapes`, which returns [(name, shape)] once the shapes of the data are known.

    data_names, label_names: the names of its inputs from a batch.
    output_names: the names of its outputs.
    logger: receives messages; a module or object with logging's functions.

    >>> class Double(mx.mod.PythonModule):
    ...     def _compute_output_shapes(self):
    ...         return [("doubled", self.data_shapes[0].shape)]
    ...     def forward(self, data_batch, is_train=None):
    ...         self.output = data_batch.data[0] * 2
    ...     def get_outputs(self, merge_multi_context=True):
    ...         return [self.output]
    >>> module = Double(["data"], None, ["doubled"])
    >>> module.bind([mx.io.DataDesc("data", (2,))])
    >>> module.forward(mx.io.DataBatch([nd.array([1, 2])]))
    >>> module.get_outputs()[0].asnumpy().tolist(), module.output_shapes
    ([2.0, 4.0], [('doubled', (2,))])
    """

    for_training: bool
    inputs_need_grad: bool

    def __init__(self, data_names: Sequence[str], label_names: Sequence[str], output_names: Sequence[str],
                 logger: Any = logging) -> None:
        super().__init__(logger=logger)
        self._data_names = list(data_names)
        self._label_names = None if label_names is None else list(label_names)
        self._output_names = list(output_names)
        self._data_shapes = self._label_shapes = self._output_shapes = None

    @property
    def data_names(self) -> list[str]:
        return self._data_names

    @property
    def output_names(self) -> list[str]:
        return self._output_names

    @property
    def data_shapes(self) -> Any:
        return self._data_shapes

    @property
    def label_shapes(self) -> Any:
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        return self._output_shapes

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        return {}, {}

    def init_params(self, initializer: Any = UNIFORM, arg_params: Mapping[str, NDArray] | None = None,
                    aux_params: Mapping[str, NDArray] | None = None, allow_missing: bool = False,
                    force_init: bool = False, allow_extra: bool = False) -> None:
        self.params_initialized = True

    def update(self) -> None:
        """Do nothing, because there are no parameters."""

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        if self._label_shapes is None:
            return                      # without labels the module does not compute metrics
        if pre_sliced:
            raise MXNetError(f"{type(self).__name__}.update_metric: it has one device, so labels must not be sliced")
        eval_metric.update(labels, self.get_outputs())

    def bind(self, data_shapes: Any, label_shapes: Any = None, for_training: bool = True,
             inputs_need_grad: bool = False, force_rebind: bool = False, shared_module: Any = None,
             grad_req: Any = "write") -> None:
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        if grad_req != "write":
            raise ArgumentError(f"{type(self).__name__}.bind: grad_req is {grad_req!r}; a Python module only writes")
        names = [x[0] for x in data_shapes]
        if names != self._data_names:
            raise ArgumentError(f"{type(self).__name__}.bind: data_shapes gives {names}, expected {self._data_names}")
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._data_shapes, self._label_shapes = data_shapes, label_shapes
        if label_shapes is not None and [x[0] for x in label_shapes] != self._label_names:
            raise ArgumentError(f"{type(self).__name__}.bind: label_shapes gives {[x[0] for x in label_shapes]}, "
                                f"expected {self._label_names}")
        self._output_shapes = self._compute_output_shapes()
        self.binded = True

    def _compute_output_shapes(self):
        raise self._undefined("_compute_output_shapes")

    def init_optimizer(self, kvstore: Any = "local", optimizer: str | Optimizer = "sgd", optimizer_params: Any = SGD,
                       force_init: bool = False) -> None:
        self.optimizer_initialized = True


class PythonLossModule(PythonModule):
    """A loss at the end of a SequentialModule. Its output is its data, the scores. grad_func(scores, labels) returns
    the gradient with respect to the scores, an NDArray or a numpy.ndarray.

    name: its name.
    data_names, label_names: the names of its inputs from a batch.
    logger: receives messages; a module or object with logging's functions.

    >>> loss = mx.mod.PythonLossModule(grad_func=lambda scores, labels: scores - labels)
    >>> loss.bind([mx.io.DataDesc("data", (2,))], [mx.io.DataDesc("softmax_label", (2,))], inputs_need_grad=True)
    >>> loss.forward(mx.io.DataBatch([nd.array([3, 4])], [nd.array([1, 1])]), is_train=True)
    >>> loss.backward()
    >>> loss.get_input_grads()[0].asnumpy().tolist()
    [2.0, 3.0]
    """

    def __init__(self, name: str = "pyloss", data_names: Sequence[str] = ("data",),
                 label_names: Sequence[str] = ("softmax_label",), logger: Any = logging, grad_func: Any = None) -> None:
        super().__init__(data_names, label_names, [name + "_output"], logger=logger)
        if len(data_names) != 1 or len(label_names) != 1:
            raise ArgumentError("PythonLossModule takes one array of data and one of labels, found data_names="
                                f"{list(data_names)}, label_names={list(label_names)}")
        if grad_func is not None and not callable(grad_func):
            raise DTypeError(f"PythonLossModule: grad_func must be a function, found {type(grad_func).__name__}")
        self._name, self._grad_func = name, grad_func
        self._scores = self._labels = self._scores_grad = None

    def _compute_output_shapes(self):
        return [(self._name + "_output", self._data_shapes[0][1])]

    def forward(self, data_batch: Any, is_train: Any = None) -> Any:
        self._scores = data_batch.data[0]
        if self.for_training if is_train is None else is_train:
            self._labels = data_batch.label[0]

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        return [self._scores]

    def backward(self, out_grads: Any = None) -> None:
        if out_grads is not None:
            raise ArgumentError(f"{type(self).__name__}.backward: a loss takes no out_grads")
        self._backward_impl()

    def _backward_impl(self):
        if self._grad_func is None:
            raise NotImplementedError(f"{type(self).__name__} needs grad_func=, or an overridden _backward_impl")
        grad = self._grad_func(self._scores, self._labels)
        self._scores_grad = grad if isinstance(grad, nd.NDArray) else nd.array(grad)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        return [self._scores_grad]

    def install_monitor(self, mon: Any) -> None:
        """Ignore the Monitor, because there are no operators."""

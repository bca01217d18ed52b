"""`Custom`: operators that a program defines in Python with `mx.operator.register`.

It has no kernel. `ndarray.custom` runs it on arrays; a graph with such a node is interpreted.
"""

from ...base import ArgumentError, DTypeError, MXNetError, OpAttributeError, ShapeError, nearest
from ...common.dtypes import as_dtype
from ...diagnostics.tracebacks import formatted
from .interpreted_op import InterpretedOp

__all__ = ["PROPS", "Custom", "call_program"]

PROPS = {}          # op_type -> a subclass of CustomOpProp, or a function that creates such an object


def call_program(what, function, *args, **kwargs):
    """Calls a function that the program defined. Any exception becomes an MXNetError that shows its traceback."""
    try:
        return function(*args, **kwargs)
    except Exception as error:          # the program's own code may raise any exception
        raise MXNetError(f"{what} raised {type(error).__name__}: {error}\n{formatted(error).rstrip()}") from error


class Custom(InterpretedOp):
    """An operator that a program registered as op_type. Its CustomOpProp takes the options as strings."""

    name = "Custom"

    @classmethod
    def complete(cls, attributes):
        """Adds the class to the key, because a program may register another class under the same name."""
        options = dict(attributes)
        op_type = options.pop("op_type", None)
        if op_type is None:
            raise OpAttributeError("Custom: attribute op_type is missing: the name given to mx.operator.register")
        if not isinstance(op_type, str):
            raise OpAttributeError(f"Custom: op_type is of type {type(op_type).__name__}; expected the name given to "
                                   "mx.operator.register")
        if op_type not in PROPS:
            raise ArgumentError(f"Custom: no operator {op_type!r} is registered; there are "
                                f"{', '.join(sorted(PROPS)) or 'none'}.{nearest(op_type, PROPS)} Decorate its "
                                f"CustomOpProp with @mx.operator.register({str(op_type)!r}).")
        texts = tuple(sorted((key, str(value)) for key, value in options.items()))
        return {"op_type": op_type, "options": texts, "prop_class": PROPS[op_type]}

    @property
    def attributes(self):
        return {"op_type": self.op_type, **dict(self.options)}

    @property
    def prop(self):
        """The program's CustomOpProp for these attributes."""
        prop = self.__dict__.get("_prop")
        if prop is None:
            prop = self.__dict__["_prop"] = self.call("__init__", self.prop_class, **dict(self.options))
        return prop

    def call(self, method, function, *args, **kwargs):
        """Calls one of the program's functions; errors name the operator."""
        return call_program(f"Custom: {method} of {self.op_type!r}", function, *args, **kwargs)

    # -- inputs and outputs -------------------------------------------------------------------------------------

    @property
    def data_names(self):
        """Returns the names of the inputs, without auxiliary states."""
        return list(self.call("list_arguments", self.prop.list_arguments))

    def list_arguments(self):
        return [*self.data_names, *self.mutates]

    @property
    def mutates(self):
        return tuple(self.call("list_auxiliary_states", self.prop.list_auxiliary_states))

    @property
    def output_names(self):
        return tuple(self.call("list_outputs", self.prop.list_outputs))

    @property
    def num_outputs(self):
        return len(self.output_names)

    # -- inference ----------------------------------------------------------------------------------------------

    def infer_shape(self, *shapes):
        """Calls the program's method as soon as one input shape is known; the method may also complete unknown inputs.
        """
        count = len(self.data_names)
        arguments = list(shapes[:count])
        if count and all(shape is None for shape in arguments):
            return list(shapes), [None] * self.num_outputs
        partly = any(shape is None or None in shape for shape in arguments)
        request = [[] if shape is None else [n or 0 for n in shape] for shape in arguments]
        try:
            result = self.call("infer_shape", self.prop.infer_shape, request)
        except MXNetError:
            if partly:                  # the method may need a shape that is inferred only in a later round
                return list(shapes), [None] * self.num_outputs
            raise
        inputs, outputs, states = self._three_lists("infer_shape", result)
        inputs = [self.require(name, shape, _shape(inferred, partly)) for name, shape, inferred
                  in zip(self.list_arguments(), shapes, [*inputs, *states], strict=True)]
        return inputs, [_shape(inferred, partly) for inferred in outputs]

    def infer_dtype(self, *dtypes):
        count = len(self.data_names)
        arguments = list(dtypes[:count])
        default = next((d for d in arguments if d is not None), None)
        if count and default is None:
            return list(dtypes), [None] * self.num_outputs
        types = [(default if d is None else d).type for d in arguments]
        inputs, outputs, states = self._three_lists("infer_type", self.call("infer_type", self.prop.infer_type, types))
        inputs = [as_dtype(dtype) for dtype in (*inputs, *states)]
        for name, dtype, target in zip(self.list_arguments(), dtypes, inputs, strict=True):
            if dtype is not None and dtype != target:
                raise DTypeError(f"Custom: infer_type of {self.op_type!r} wants {name} to be {target}, found {dtype}. "
                                 "Convert with .astype(dtype).")
        return inputs, [as_dtype(dtype) for dtype in outputs]

    def _three_lists(self, method, result):
        """Returns (inputs, outputs, states) from a method's result: two lists, or three."""
        if not isinstance(result, (tuple, list)) or len(result) not in (2, 3):
            raise ShapeError(f"Custom: {method} of {self.op_type!r} must return lists for inputs, outputs and "
                             f"auxiliary states, found {result!r}")
        lists = [list(part) for part in result] + [[]] * (3 - len(result))
        for what, part, expected in zip(("inputs", "outputs", "auxiliary states"), lists,
                                        (len(self.data_names), self.num_outputs, len(self.mutates)), strict=True):
            if len(part) != expected:
                raise ShapeError(f"Custom: {method} of {self.op_type!r} returned {len(part)} items for the {what}, "
                                 f"expected {expected}")
        return lists

    # -- running ------------------------------------------------------------------------------------------------

    def dependencies(self):
        """Returns which of "inputs" and "outputs" `backward` reads."""
        inputs, outputs = len(self.data_names), self.num_outputs
        numbers = list(range(2 * outputs + inputs))
        heads, data, results = numbers[:outputs], numbers[outputs:outputs + inputs], numbers[outputs + inputs:]
        needed = set(self.call("declare_backward_dependency", self.prop.declare_backward_dependency, heads, data,
                               results))
        return tuple(name for name, ids in (("inputs", data), ("outputs", results)) if needed & set(ids))

    def forward(self, *inputs, **how):
        raise MXNetError("Custom has no kernel: nd.Custom runs it")

    def gradient(self, F, out_grads, inputs, outputs):
        raise MXNetError(f"Custom: the gradient of {self.op_type!r} is written in Python, so Symbol.gradient cannot "
                         "write it down. Bind the graph and call backward on the executor.")


def _shape(shape, partly):
    """Converts a shape that the program returned. In it, 0 means unknown if some of the shapes passed to the program
    were unknown.
    """
    if shape is None or (partly and len(shape) == 0):
        return None
    return tuple(int(n) if n or not partly else None for n in shape)

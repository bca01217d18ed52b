"""Callbacks that run while `interpret` computes a graph, for executors' monitors and blocks' hooks."""

__all__ = ["Watcher"]

# Operators whose only input has no name in MXNet, like all elementwise operators on one array: a watcher reports
# `fc_input0`.
_UNNAMED = {"Cast", "Flatten", "Reshape", "SoftmaxActivation", "_sample_multinomial", "_slice_assign_scalar",
            "amp_cast", "argmax", "argmax_channel", "argmin", "argsort", "broadcast_axis", "broadcast_to",
            "expand_dims", "max", "mean", "min", "nanprod", "nansum", "norm", "prod", "shape_array", "size_array",
            "slice", "slice_axis", "softmin", "sort", "sum", "topk", "transpose"}

# The names of hidden outputs, which follow the visible one. For InstanceNorm, MXNet has `_var` instead. MXNet also has
# `_tmp_norm` for LRN, which has no such output here.
_HIDDEN = {"BatchNorm": ("mean", "var"), "BatchNorm_v1": ("mean", "var"), "InstanceNorm": ("mean", "std"),
           "LayerNorm": ("mean", "std"), "GroupNorm": ("mean", "std"), "Dropout": ("mask",),
           "L2Normalization": ("norm",)}


class Watcher:
    """A callback for `interpret` that calls `callback(name, operator's name, array)` for each operator's outputs.

    values: {variable: NDArray}, as for `interpret`. inputs: if True, also report each operator's inputs, as 'fc_data'.
    variables: if True, also report the variables among them, under their own names.
    """

    HIDDEN = False          # whether to report hidden outputs, as MXNet's executors do but its hooks do not

    def __init__(self, values, callback, inputs=False, variables=False):
        self.values, self.callback = values, callback
        self.inputs, self.variables = inputs, variables
        self.computed = {}

    def __call__(self, node, outputs):
        """Reports a node that has run."""
        if self.inputs:
            for name, (parent, _), array in zip(_input_names(node), node.inputs, self.inputs_of(node), strict=True):
                if self.variables and parent.op is None:
                    self.callback(parent.name, node.op.name, array)
                self.callback(f"{node.name}_{name}", node.op.name, array)
        hidden = ("output", *_HIDDEN.get(node.op.name, ())) if self.HIDDEN else ()
        for index, array in enumerate(outputs):
            self.computed[node, index] = array
            if index < node.num_visible_outputs:
                self.callback(node.output_name(index), node.op.name, array)
            elif index < len(hidden):
                self.callback(f"{node.name}_{hidden[index]}", node.op.name, array)

    def inputs_of(self, node):
        """Returns the inputs of a node."""
        return [self.values[parent.name] if parent.op is None else self.computed[parent, index]
                for parent, index in node.inputs]


def _input_names(node):
    """Returns MXNet's names for a node's inputs: 'data'; 'input0' if there is no name; 'arg0', ... for a variable
    number of inputs.
    """
    op, count = node.op, len(node.inputs)
    if op.variadic:
        return [f"arg{i}" for i in range(count)]
    names = op.argument_names(count)
    return ["input0"] if count == 1 and len(op.arguments) == 1 and (op.elementwise or op.name in _UNNAMED) else names

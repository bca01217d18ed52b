"""Watching a graph while `interpret` computes it: for monitors of executors and for hooks of blocks."""

__all__ = ["watcher"]


def watcher(values, callback, inputs=False, variables=False):
    """A callback for `interpret` that calls `callback(name, operator's name, array)` for what each operator gives.

    values: {variable: NDArray}, as `interpret` has them. inputs: also for what each operator takes, as 'fc_data'.
    variables: for the variables among them under their own names, too.
    """
    def watch(node, outputs):
        if inputs:
            names = node.op.argument_names(len(node.inputs))
            for name, (parent, index) in zip(names, node.inputs, strict=True):
                array = values[parent.name] if parent.op is None else computed[parent, index]
                if variables and parent.op is None:
                    callback(parent.name, node.op.name, array)
                callback(f"{node.name}_{name}", node.op.name, array)
        for index, array in enumerate(outputs):
            computed[node, index] = array
            if index < node.num_visible_outputs:
                callback(node.output_name(index), node.op.name, array)

    computed = {}
    return watch

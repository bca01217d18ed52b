"""The graph behind symbols: nodes, and an order in which each comes after its inputs."""

__all__ = ["Node", "topological"]


class Node:
    """An operator with its inputs, or a variable (op None).

    inputs: (node, output index) pairs. attrs: what the user wrote, as text; for variables `__shape__`, `__dtype__` ...
    shape and dtype: what a variable's declaration tells.
    """

    __slots__ = ("attrs", "dtype", "inputs", "name", "op", "shape")

    def __init__(self, op, name, inputs=(), attrs=None, shape=None, dtype=None):
        self.op = op
        self.name = name
        self.inputs = tuple(inputs)
        self.attrs = attrs or {}
        self.shape = shape
        self.dtype = dtype

    @property
    def num_visible_outputs(self):
        return 1 if self.op is None else self.op.num_visible_outputs

    def output_name(self, index):
        """'fc1_output', or 'split0_output1' when there are several; a variable's own name."""
        if self.op is None:
            return self.name
        return f"{self.name}_output{index if self.num_visible_outputs > 1 else ''}"

    def __repr__(self):
        return f"<Node {self.name}>" if self.op is None else f"<Node {self.name}: {self.op!r}>"


def topological(heads):
    """All nodes behind (node, index) pairs, each after its inputs. Iterative: depth has no limit."""
    order, seen = [], set()
    stack = [(node, False) for node, _ in reversed(heads)]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((parent, False) for parent, _ in reversed(node.inputs))
    return order

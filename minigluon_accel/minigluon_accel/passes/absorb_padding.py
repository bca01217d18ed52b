"""A pass over inference plans in which a convolution absorbs the zeros that a `pad` before it adds to its image.

    pad with zeros, Convolution   -> Convolution with a larger `pad`

The padded image is then never stored, and the passes that follow see that the convolution reads what the convolution
before the `pad` wrote. TensorFlow's networks, whose padding is not part of the convolution, are written like that.
"""

from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter

__all__ = ["PaddingAbsorption", "absorb_padding"]


def absorb_padding(draft):
    """Returns an inference plan's draft in which convolutions add the zeros around their images themselves."""
    if not draft.infers:
        return draft
    absorption = PaddingAbsorption(draft.graph, draft.specs)
    result = absorption.rewritten()
    return draft.after("absorb padding", result, absorption.notes) if absorption.notes else draft


class PaddingAbsorption(Rewriter):
    """Replaces each convolution that reads a suitable `pad`."""

    def replace(self, node):
        more = self.padding_of(node)
        if more is None:
            return super().replace(node)
        pad, rest = node.inputs[0][0], node.inputs[1:]
        total = tuple(own + added for own, added in zip(node.op.geometry().pad, more, strict=True))
        self.notes.append(f"{node.name}: with the zeros of {pad.name}")
        return Node(type(node.op)(**{**node.op.attributes, "pad": total}), node.name,
                    [self.where[pair] for pair in (pad.inputs[0], *rest)], node.attrs, place=node.place)

    def padding_of(self, node):
        """Returns the number of zeros before and after each axis of the image that a `pad` adds for this convolution,
        or None if there is no such `pad`."""
        if node.op is None or node.op.name != "Convolution" or node.op.geometry().last:
            return None
        pad = node.inputs[0][0].op
        if pad is None or pad.name != "Pad" or pad.mode != "constant" or pad.constant_value != 0:
            return None
        items, channels, *spatial = pad.widths
        even = all(before == after for before, after in spatial)
        return tuple(before for before, _ in spatial) if even and items == channels == (0, 0) else None

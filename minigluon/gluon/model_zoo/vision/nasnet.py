"""NASNet-A. Zoph et al., Learning transferable architectures for scalable image recognition, 2017.

A search found two cells: one keeps height and width; the other halves them. A cell takes the outputs of the previous
two cells and computes five sums of two operations each. The search chose the operations and their inputs. Here, a cell
is a table, which `Cell` runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....context import cpu
from ... import nn
from ...contrib.nn import Identity
from ...hybrid_block import HybridBlock
from .classifier import Classifier, stack, with_parameters

if TYPE_CHECKING:
    from ....context import Context

__all__ = ["NASNetA", "nasnet_a_mobile"]


# -- operations: (channels, stride, channels of the input) -> a block -----------------------------------------------

def _norm():
    return nn.BatchNorm(momentum=0.9997, epsilon=0.001)


def _squeeze(channels):
    return stack(nn.Activation("relu"), nn.Conv2D(channels, 1, use_bias=False), _norm())


def _separable(kernel):
    """Return an operation that applies this sequence twice: relu, depthwise and 1 x 1 convolution, normalization. The
    first depthwise convolution applies the stride. """
    def make(channels, stride, in_channels):
        out = stack()
        for inputs, step in ((in_channels, stride), (channels, 1)):
            out.add(nn.Activation("relu"), nn.Conv2D(inputs, kernel, step, kernel // 2, groups=inputs, use_bias=False),
                    nn.Conv2D(channels, 1, use_bias=False), _norm())
        return out
    return make


def _mean(channels, stride, in_channels):
    return nn.AvgPool2D(3, stride, 1, count_include_pad=False)


def _most(channels, stride, in_channels):
    return nn.MaxPool2D(3, stride, 1)


def _same(channels, stride, in_channels):
    return Identity()


_SEP3, _SEP5, _SEP7 = _separable(3), _separable(5), _separable(7)


# -- the two cells: Figure 4 of the paper ---------------------------------------------------------------------------

# Inputs of an operation: 0 is the output of the cell before the previous one, 1 is the output of the previous cell, and
# 2, 3, ... are the sums of the rows. The cell's output concatenates the sums that no row uses.
_BEFORE, _LAST = 0, 1

_NORMAL = {"rows": [[(_SEP5, _LAST), (_SEP3, _BEFORE)],
                    [(_SEP5, _BEFORE), (_SEP3, _BEFORE)],
                    [(_mean, _LAST), (_same, _BEFORE)],
                    [(_mean, _BEFORE), (_mean, _BEFORE)],
                    [(_SEP3, _LAST), (_same, _LAST)]],
           "joined": [_BEFORE, 2, 3, 4, 5, 6], "stride": 1}

_REDUCTION = {"rows": [[(_SEP5, _LAST), (_SEP7, _BEFORE)],
                       [(_most, _LAST), (_SEP7, _BEFORE)],
                       [(_mean, _LAST), (_SEP5, _BEFORE)],
                       [(_mean, 2), (_same, 3)],
                       [(_SEP3, 2), (_most, _LAST)]],
              "joined": [3, 4, 5, 6], "stride": 2}


class Cell(HybridBlock):
    """A cell that a table defines.

    rows: sums of two operations each.
    joined: indices of the sums in the output.
    stride: the stride of operations on the cell's inputs.
    channels: the number of channels in each sum.
    entry: the block that converts `before` to `channels` channels and the size of `last`; None leaves `before`
        unchanged, with `in_channels` channels.

    before (N, B, H, W) or twice that size, last (N, L, H, W) -> (N, channels * len(joined), H / stride, W / stride)
    """

    def __init__(self, rows: Any, joined: Any, stride: int, channels: int, entry: Any, in_channels: int | None = None,
                 **kwargs: Any):
        super().__init__(**kwargs)
        self._sources, self._joined = [[source for _, source in row] for row in rows], joined
        with self.name_scope():
            self.entry = entry(channels) if entry else None
            self.squeeze = _squeeze(channels)
            self.sums = nn.HybridSequential(prefix="")
            for row in rows:
                self.sums.add(*[operation(channels, stride if source in (_BEFORE, _LAST) else 1,
                                          in_channels if source == _BEFORE and not entry else channels)
                                for operation, source in row])

    def hybrid_forward(self, F: Any, before: Any, last: Any) -> Any:
        """Return the joined sums."""
        values = [self.entry(before) if self.entry else before, self.squeeze(last)]
        operations = iter(self.sums)
        for left, right in self._sources:
            values.append(next(operations)(values[left]) + next(operations)(values[right]))
        return F.concat(*[values[i] for i in self._joined], dim=1)


class Halving(HybridBlock):
    """A relu, then every second pixel, and normalization. Half of the channels use the pixels (0, 0), (0, 2), ...; the
    other half uses the pixels one row down and one column to the right, so that odd pixels are also used.

    x (N, C, H, W) -> (N, channels, H / 2, W / 2), rounded up
    """

    def __init__(self, channels: int, **kwargs: Any):
        super().__init__(**kwargs)
        with self.name_scope():
            self.even, self.odd = (nn.Conv2D(half, 1, 2, use_bias=False) for half in (channels // 2, -(-channels // 2)))
            self.norm = _norm()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the two halves, normalized."""
        x = F.relu(x)
        shifted = F.slice(F.pad(x, mode="constant", pad_width=(0, 0, 0, 0, 0, 1, 0, 1)), begin=(None, None, 1, 1),
                          end=(None, None, None, None))
        return self.norm(F.concat(self.even(x), self.odd(shifted), dim=1))


# -- the network ----------------------------------------------------------------------------------------------------

class Cells(HybridBlock):
    """A convolution and two halving cells, then three stages of `cells` cells, with a halving cell between stages.

    x (N, 3, H, W) -> (N, 24 * channels, H / 32, W / 32)
    """

    def __init__(self, cells: Any, channels: int, stem_channels: Any, **kwargs: Any):
        super().__init__(**kwargs)
        with self.name_scope():
            self.stem = stack(nn.Conv2D(stem_channels, 3, 2, use_bias=False), _norm())
            self.cells = nn.HybridSequential(prefix="")
            self.cells.add(Cell(**_REDUCTION, channels=channels // 4, entry=None, in_channels=stem_channels),
                           Cell(**_REDUCTION, channels=channels // 2, entry=Halving))
            for stage in range(3):
                if stage > 0:
                    channels *= 2
                    self.cells.add(Cell(**_REDUCTION, channels=channels, entry=_squeeze))
                for i in range(cells):
                    self.cells.add(Cell(**_NORMAL, channels=channels, entry=_squeeze if i else Halving))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the last cell's output."""
        before = last = self.stem(x)
        for cell in self.cells:
            before, last = last, cell(before, last)
        return last


class NASNetA(Classifier):
    """NASNet-A: x (N, 3, H, W), designed for 224 x 224 -> scores (N, classes).

    cells, penultimate: the paper's 'N @ P', the number of cells per stage, and the number of channels in the last cell,
    a multiple of 24.
    stem_channels: the number of channels in the first convolution.
    dropout: the dropout rate before the last layer. The auxiliary classifier and drop-path, with which larger nets were
        trained, are omitted.
    """

    def __init__(self, cells: Any = 4, penultimate: Any = 1056, stem_channels: Any = 32, dropout: float = 0.5,
                 classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = stack(Cells(cells, penultimate // 24, stem_channels), nn.Activation("relu"),
                                  nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dropout(dropout))
            self.output = nn.Dense(classes)


def nasnet_a_mobile(pretrained: bool = False, ctx: Context = cpu(), root: str | None = None,      # noqa: B008
                    **kwargs: Any) -> NASNetA:
    """Return a NASNet-A (4 @ 1056), with 5.3 million parameters. MXNet has not published trained parameters.

    kwargs: arguments of the class NASNetA: cells, penultimate, stem_channels, dropout, classes, prefix, params.

    >>> len(gluon.model_zoo.vision.nasnet_a_mobile().collect_params(".*weight"))        # layers
    357
    """
    return with_parameters(NASNetA(**kwargs), "nasnet_a_mobile", pretrained, ctx, root)

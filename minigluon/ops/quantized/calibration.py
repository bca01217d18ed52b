"""The threshold that loses the least information when an array's histogram is cut there and stored in few bins."""

import numpy as np

from ..op import Op
from ..registry import register
from .ranges import FLOAT32

__all__ = []

EPSILON = np.float32(1e-4)      # the count given to an empty bin, so that a divergence is finite


@register("hist", "hist_edges", name="_contrib_calibrate_entropy")
class calibrate_entropy(Op):
    """The threshold t with the smallest Kullback-Leibler divergence, and this divergence.

    hist (n,): the counts in n bins of equal width around zero, n odd | hist_edges (n + 1,): their ends
    out (1,): the threshold; (1,): the divergence

    For each t, counts outside -t to t move to the outermost bins. This distribution is compared with the same
    distribution in num_quantized_bins bins, as 8-bit integers represent it.

    num_quantized_bins: the number of integers; odd.

    Source: Migacz 2017, 8-bit inference with TensorRT, GPU Technology Conference.

    >>> counts, ends = np.histogram([-1, 0, 0, 0, 0, 1, 1, 100], 11, (-100, 100))
    >>> threshold, divergence = nd.contrib.calibrate_entropy(nd.array(counts), nd.array(ends), num_quantized_bins=3)
    >>> threshold.shape, divergence.shape
    ((1,), (1,))
    """

    num_quantized_bins: int = 255
    num_outputs = 2
    output_names = ("threshold", "divergence")
    keeps = ()
    gradient = None

    def infer_shape(self, hist, hist_edges):
        self.require_rank("hist", hist, 1)
        self.require_rank("hist_edges", hist_edges, 1)
        count = hist[0] if hist else hist_edges[0] - 1 if hist_edges and hist_edges[0] else None
        if self.num_quantized_bins < 1 or count is not None and (count % 2 == 0 or count < self.num_quantized_bins):
            raise self.shape_clash(f"hist has {count} bins, expected an odd number, at least num_quantized_bins="
                                   f"{self.num_quantized_bins}", "hist")
        edges = self.require("hist_edges", hist_edges, (count and count + 1,))
        return [(count,), edges], [(1,), (1,)]

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.arguments, dtypes, strict=True):
            self.require_float(name, dtype)
        return [FLOAT32 if dtype is None else dtype for dtype in dtypes], [FLOAT32, FLOAT32]

    def forward(self, hist, hist_edges):
        counts, middle, half = hist.astype(np.float32), hist.size // 2, self.num_quantized_bins // 2
        reaches = np.arange(half, middle + 1)
        divergences = np.array([self.divergence(counts, middle - n, middle + n + 1) for n in reaches])
        best = int(divergences.argmin())
        threshold = hist_edges[middle + reaches[best] + 1]
        return np.full(1, threshold, np.float32), np.full(1, divergences[best], np.float32)

    def divergence(self, counts, start, stop):
        """Returns the divergence if only the bins from start to stop are kept."""
        kept, clipped = counts[start:stop].copy(), counts[start:stop].copy()
        clipped[0] += counts[:start].sum()
        clipped[-1] += counts[stop:].sum()
        kept[0] = 0                     # MXNet leaves the first bin out of the comparison
        width, n = kept.size // self.num_quantized_bins, self.num_quantized_bins
        begins = np.arange(n) * width
        sums, places = (np.add.reduceat(x, begins) for x in (kept, (kept != 0).astype(np.float32)))
        means = np.divide(sums, places, out=np.zeros(n, np.float32), where=places != 0)
        spread = means.repeat(np.diff(begins, append=kept.size)) * (clipped != 0)
        return kl_divergence(smooth(clipped), smooth(spread))


def smooth(counts):
    """Returns counts in which each empty bin has EPSILON, taken from the other bins; None if they are too few."""
    empty = counts == 0
    full = counts.size - empty.sum()
    share = EPSILON * np.float32(empty.sum()) / np.float32(full) if full else EPSILON / EPSILON
    return None if share >= 1 else np.where(empty, EPSILON, counts - share)


def kl_divergence(p, q):
    """Returns Σ p log(p / q) for two distributions that are normalized first; infinity if one is None.

    Terms are added sequentially in float32, as in MXNet: neighboring thresholds are so close that a different order of
    additions would select a different threshold.
    """
    if p is None or q is None:
        return np.inf
    p, q = p / in_order(p), q / in_order(q)
    return in_order(p * np.log(p / q))


def in_order(x):
    """Returns the sum of a vector, added from left to right in its own type."""
    return np.cumsum(x)[-1]

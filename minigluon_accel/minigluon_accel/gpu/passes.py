"""Passes of this backend over a plan's graph."""

from . import chains, convolution_fused

__all__ = ["rewrite"]


def rewrite(graph, specs, count, reports):
    """The graph with relus in the nodes before them, and chains of elementwise operators as one node each.

    See `Backend.rewrite`.
    """
    graph = convolution_fused.rewrite(graph, specs, count, reports)
    return chains.rewrite(graph, specs, count, reports)

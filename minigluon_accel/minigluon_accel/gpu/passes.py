"""Passes of this backend over a plan's graph."""

from . import chains

__all__ = ["rewrite"]


def rewrite(graph, specs, count, reports):
    """The graph with chains of elementwise operators as one node each; see `Backend.rewrite`."""
    return chains.rewrite(graph, specs, count, reports)

"""A graph between tracing and planning: the record that passes take and return, and the function that runs passes."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..backend import Spec, backend_for
from ..backend.contract import Backend
from ..symbol.symbol import Symbol
from . import check_passes
from .report import Report

__all__ = ["Draft", "run_passes"]


class Draft(NamedTuple):
    """Everything that the passes know about a graph. A pass, `pass_(draft) -> draft`, changes no field of its draft.

    The first fields describe the request; the others are set by the passes. Only `specs` is shared between drafts: a
    pass adds the Specs of the nodes that it creates.
    """

    graph: Symbol | None                    # the results, then the gradients; None if there is no plan
    specs: dict[Any, Spec]                  # {(node, output): Spec}

    input_specs: dict[str, Spec] = {}       # the variables' Specs, by name
    variables: Any = ()                     # the names of the plan's inputs, in order
    ctx: Any = None                         # the device
    train: bool = False
    wanted: Any = ()                        # the names of the variables whose gradients are needed
    saving: Any = False                     # memory saving: True for `recompute`, a number for `budget`
    steps: Any = None                       # `Steps` of an optimizer that become part of the plan
    first_parameter: int | None = None      # this variable and all later ones are the same for each call
    known_prepackers: Any = None            # the Prepackers of other plans for the same parameters

    results: int = 0                        # how many of the graph's outputs are results
    inputs: Any = ()                        # the plan's inputs as nodes, in order
    heads: Any = ()                         # variables for the results' head gradients
    indices: Any = None                     # the index of the gradient for each variable in `wanted`, or None
    prepackers: Any = None                  # the Prepackers of the last inputs, which depend on parameters

    summary: Any = None                     # (name, notes on the pass's changes) for its Report, or None
    reports: Any = None                     # a list to which Reports are added
    rest: Any = ()                          # the passes that have not run yet

    @property
    def infers(self) -> bool:
        """Return whether the plan neither trains nor has gradients."""
        return not (self.wanted or self.train)

    @property
    def awaits_gradients(self) -> bool:
        """Return whether gradients will be derived from this graph, so that nodes needed only by gradients stay."""
        return bool(self.wanted) and self.indices is None

    @property
    def parameters(self) -> Any:
        """The variable nodes that are the same for each call, if the plan may precompute values from them."""
        return self.inputs[self.first_parameter:] if self.infers and self.first_parameter is not None else ()

    @property
    def backend(self) -> Backend:
        """The backend that the plan will run on."""
        return backend_for(self.ctx)

    def after(self, name: str, graph: Symbol, notes: Any = (), **changes: Any) -> Draft:
        """Return the draft with a new graph and new fields, for a Report with this name."""
        return self._replace(graph=graph, summary=(name, list(notes)), **changes)

    def without_plan(self, indices: Any = None) -> Draft:
        """Return the draft without a plan, so that no more passes run."""
        return self._replace(graph=None, indices=[None] * len(self.wanted) if indices is None else indices)


def run_passes(draft: Draft, checked: bool = True) -> Draft:
    """Run the passes in `draft.rest` that apply, each on the previous one's result, as long as there is a plan.
    checked: whether MINIGLUON_CHECK_PASSES applies (see `check_passes.py`)."""
    while draft.rest and draft.graph is not None:
        pass_, before = draft.rest[0], draft._replace(rest=draft.rest[1:], summary=None)
        draft = pass_(before) if _applies(pass_, before) else before
        if draft is before:
            continue
        if checked and check_passes.enabled:
            check_passes.check(pass_, before, draft)
        if draft.summary is not None and draft.reports is not None:
            name, notes = draft.summary
            draft.reports.append(Report(name, before.graph, draft.graph, notes, draft.specs))
    return draft


def _applies(pass_: Any, draft: Any) -> bool:
    """Return whether a pass has anything to do. `conditions.py` marks passes that many graphs do not need."""
    field, operators = getattr(pass_, "field", None), getattr(pass_, "operators", None)
    if field is not None and not getattr(draft, field):
        return False
    return operators is None or any(_is_one_of(node.op, operators) for node in draft.graph.nodes())


def _is_one_of(op: Any, operators: tuple[str | type, ...]) -> bool:
    return op is not None and (op.name in operators or any(cls in operators for cls in type(op).__mro__))

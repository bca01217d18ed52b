"""Parameter and ParameterDict as HTML."""

from html import escape
from typing import Any

from .arrays import array_parts
from .blocks import states_html, weight_cells
from .page import badge, code, count_text, details, dim, framed, table
from .tree import DEFERRED, EMPTY, Weight, shape_text, state_of, weight_of

__all__ = ["parameter_html", "parameters_html", "parameters_table"]

UNFOLDED = 25           # the maximum number of parameters shown without folding
MOST = 2000             # the maximum number of parameters shown


def parameter_html(param: Any) -> str:
    """Return the display of a Parameter: its properties, and the edges of its value on its first device."""
    state = state_of(param)
    head = (f"<b>{type(param).__name__}</b> {code(param.name)} {code(shape_text(param))} {code(param.dtype.__name__)} "
            + (badge(state, waits=True) if state else ""))
    facts = [f"grad_req {param.grad_req!r}"]
    facts += [f"{name} {value!r}" for name, value in (("lr_mult", param.lr_mult), ("wd_mult", param.wd_mult))
              if value != 1]
    facts += [f"{name} {value!r}" for name, value in (("stype", param.stype), ("grad_stype", param.grad_stype))
              if value != "default"]
    if not param.is_initialized:
        return framed(f"<div>{head}</div><div>{dim(', '.join(facts))}</div>")
    facts.append("on " + ", ".join(map(str, param._data.keys())))
    first = next(iter(param._data.values()))
    return framed(f"<div>{head}</div><div>{dim(', '.join(facts))}</div>", array_parts(first))


def parameters_html(params: Any) -> str:
    """Return the display of a ParameterDict."""
    weights = [weight_of(name, param) for name, param in params.items()]
    head = f"<b>{type(params).__name__}</b> {code(params.prefix) if params.prefix else ''}"
    return framed(parameters_table(head, weights))


def parameters_table(head: str, weights: list[Weight]) -> str:
    """Return a table with one row per parameter, under a heading that folds it. head: HTML."""
    elements = sum(weight.size or 0 for weight in weights)
    more = "≥ " if any(weight.size is None for weight in weights) else ""
    states = [weight.state for weight in weights]
    totals = dim(f"{count_text(len(weights), 'parameter')}, {more}{elements:,} elements")
    summary = f"{head} {totals} {states_html(states.count(DEFERRED), states.count(EMPTY))}"
    if not weights:
        return f"<div>{summary}</div>"
    lines = [weight_cells(weight) for weight in weights[:MOST]]
    if len(weights) > MOST:
        lines.append([escape(f"… and {len(weights) - MOST:,} more"), "", "", ""])
    return details(summary, table(["name", "shape, dtype", "elements", ""], lines, (2,)), len(weights) <= UNFOLDED)

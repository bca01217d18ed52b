"""Block as HTML: a tree that folds and unfolds when clicked, with each layer's parameters."""

from html import escape
from typing import Any

from .page import badge, code, count_text, details, dim, framed, table
from .tree import DEFERRED, EMPTY, Branch, Weight, tree_of

__all__ = ["block_html", "states_html", "weight_cells"]

OPEN = 40               # a net with at most this many blocks is shown unfolded
MOST = 1500             # the maximum number of blocks shown; the rest are only counted
DEEPEST = 30            # the maximum nesting depth of the blocks shown


def block_html(net: Any, plain: Any) -> str:
    """Return the display of a Block. The net is not run, and deferred shapes stay deferred. plain: see `tree_of`."""
    root = tree_of(net, plain)
    return framed(_Writer(root.blocks <= OPEN).branch(root, 0, net.name))


class _Writer:
    """The writer of the visible part of the tree."""

    def __init__(self, unfolded: bool):
        self.unfolded, self.left = unfolded, MOST

    def branch(self, branch: Branch, depth: int, name: str = "") -> str:
        """Return the HTML of one block and its children. name: the name of the net, for its first line."""
        self.left -= 1
        line = _line(branch, name)
        inside = self._weights(branch) + self._inside(branch, depth + 1)
        if not inside:
            return f'<div class="mg-leaf">{line}</div>'
        return details(line, inside, depth == 0 or (self.unfolded and not branch.weights))

    def _weights(self, branch: Branch) -> str:
        return table((), [weight_cells(weight) for weight in branch.weights], (2,)) if branch.weights else ""

    def _inside(self, branch: Branch, depth: int) -> str:
        if not branch.branches:
            return ""
        items, count = "", 0
        for inner in branch.branches:
            if self.left <= 0 or depth > DEEPEST:
                break
            items += f"<li>{self.branch(inner, depth)}</li>"
            count += 1
        more = sum(inner.blocks for inner in branch.branches[count:])
        if more:
            items += f'<li><div class="mg-leaf">{dim("… and " + count_text(more, "more block"))}</div></li>'
        return f"<ul>{items}</ul>"


def _line(branch: Branch, name: str) -> str:
    """Return the line of a block, such as '(0) Dense 3 -> 2, linear · 8'."""
    parts = [dim(f"({branch.key})")] if branch.key else []
    parts.append(f"<b>{escape(branch.kind)}</b>")
    parts += [code(name)] if name else []
    parts += [code(branch.text)] if branch.text else []
    parts += [dim(_counts(branch, bool(name)))] if branch.parameters or name else []
    parts += [badge("hybridized")] if branch.hybridized and (name or not branch.key) else []
    return " ".join([*parts, states_html(branch.deferred, branch.empty)]).rstrip()


def _counts(branch: Branch, whole: bool) -> str:
    """Return the number of elements in the parameters, not counting those with unknown shapes."""
    more = "≥ " if branch.unknown else ""
    if not whole:
        return f"· {more}{branch.parameters:,}"
    text = more + count_text(branch.parameters, "parameter")
    return text + (f", {branch.fixed:,} of them without a gradient" if branch.fixed else "")


def states_html(deferred: int, empty: int) -> str:
    """Return badges for parameters without values."""
    parts = [badge(f"{deferred} {DEFERRED}", waits=True)] if deferred else []
    parts += [badge(f"{empty} {EMPTY}", waits=True)] if empty else []
    return " ".join(parts)


def weight_cells(weight: Weight) -> list[str]:
    """Return the cells of one table row: name, shape and dtype, number of elements, and special settings."""
    marks = [badge(weight.state, waits=True)] if weight.state else []
    marks += [badge("shared")] if weight.shared else []
    marks += [dim("no gradient")] if weight.grad_req == "null" else []
    marks += [dim("gradients add up")] if weight.grad_req == "add" else []
    size = "?" if weight.size is None else f"{weight.size:,}"
    return [escape(weight.name), f"{escape(weight.shape)} {dim(weight.dtype)}", size, " ".join(marks)]

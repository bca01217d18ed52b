"""The frame of every display: one style, tables, badges. Texts are escaped here.

Notebooks, and what shows them later, drop scripts, so folding is `<details>`. The style stands in each display, since
each may be the only one that is shown. Where it is dropped as well, as on GitHub, plain tables and lists remain.

Colors are those of the text around: a notebook's theme may be dark where the system's is light, and each front end has
other names for its colors, but each sets the color of its text. Lines and grounds are a gray that is seen on both.
"""

from collections.abc import Collection, Iterable, Sequence
from html import escape

__all__ = ["badge", "code", "count_text", "details", "dim", "framed", "table"]

# `&` is the class of the display, three times: so a rule goes before those that a front end has for any table.
STYLE = """
& { font: 13px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; margin: 2px 0 }
& code, & table { font: 12px/1.5 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }
& code { color: inherit; background: none; padding: 0; border: 0 }
& .mg-dim, & th { opacity: .75 }
& .mg-badge { padding: 0 6px; border-radius: 8px; font-size: 11.5px; font-style: normal; white-space: nowrap;
    background: rgba(128, 128, 128, .2) }
& .mg-wait { background: rgba(217, 119, 6, .3) }
& .mg-scroll { overflow-x: auto; max-width: 100% }
& .mg-row { display: flex; flex-wrap: wrap; gap: 4px 28px }
& .mg-row > div { max-width: 100% }
& table { border: 0; border-collapse: collapse; margin: 3px 0; width: auto; table-layout: auto }
& thead { border: 0 }
& tr:nth-child(n) { background: none; border: 0 }
& td, & th { padding: 0 18px 0 0; border: 0; font-weight: normal; text-align: left; vertical-align: top;
    white-space: nowrap; max-width: none; line-height: 1.6 }
& .mg-right { text-align: right }
& .mg-numbers { border: solid rgba(128, 128, 128, .5); border-width: 0 1.5px; border-radius: 5px;
    border-collapse: separate; border-spacing: 0 }
& .mg-numbers td, & .mg-numbers th { padding: 0 7px; text-align: right; white-space: pre }
& ul { list-style: none; margin: 0 0 0 6px; padding: 0 0 0 12px; border-left: 1px solid rgba(128, 128, 128, .4) }
& li { margin: 0; padding: 0 }
& summary { display: list-item; cursor: pointer }
& summary:hover { background: rgba(128, 128, 128, .12) }
& .mg-leaf, & li .mg-scroll { margin-left: 1.1em }
""".replace("&", ".mg-out" * 3).replace("\n    ", " ").replace("\n", "")


def framed(*parts: str) -> str:
    """The whole of a display. parts: HTML."""
    return f'<div class="mg-out"><style>{STYLE}</style>{"".join(parts)}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = (), kind: str = "") -> str:
    """A table that scrolls where it is too wide.

    heads: texts; none, no line of heads. rows: of HTML, whose first cell is a head where `kind` is 'mg-numbers' and
    there are heads. right: numbers of the columns whose texts end at the same place.
    """
    def line(tag: str, cells: Iterable[str]) -> str:
        return "<tr>" + "".join(f'<{tag}{MARK if i in right else ""}>{cell}</{tag}>'
                                for i, cell in enumerate(cells)) + "</tr>"
    head = f"<thead>{line('th', map(escape, heads))}</thead>" if heads else ""
    body = "".join(line("td", row) for row in rows)
    look = f' class="{kind}"' if kind else ""
    return f'<div class="mg-scroll" tabindex="0"><table{look}>{head}<tbody>{body}</tbody></table></div>'


MARK = ' class="mg-right"'


def details(summary: str, inside: str, is_open: bool = False) -> str:
    """What a click on `summary` shows and hides. Both are HTML."""
    return f"<details{' open' if is_open else ''}><summary>{summary}</summary>{inside}</details>"


def code(text: object) -> str:
    """Text in the letters of programs."""
    return f"<code>{escape(str(text))}</code>"


def dim(text: object) -> str:
    """Text that is less important."""
    return f'<span class="mg-dim">{escape(str(text))}</span>'


def badge(text: str, waits: bool = False) -> str:
    """A word that marks its line. waits: is something still to come?"""
    return f'<em class="mg-badge{" mg-wait" if waits else ""}">{escape(text)}</em>'


def count_text(number: int, what: str) -> str:
    """'1 parameter', '1,200 parameters'."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"

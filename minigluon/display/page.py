"""The common frame of all displays: one style, tables, badges. Text is escaped in this module.

Notebooks and their viewers remove scripts, so folding uses `<details>`. Each display contains the style, because it may
be the only display shown. If the style is also removed, as on GitHub, plain tables and lists remain.

Colors follow the surrounding text: a notebook's theme may be dark when the system's is light, and each front end has
different names for its colors, but all of them set the text color. Lines and backgrounds are a shade of gray that is
visible on dark and light backgrounds.
"""

from collections.abc import Collection, Iterable, Sequence
from html import escape

__all__ = ["badge", "code", "count_text", "details", "dim", "framed", "table"]

# `&` is the class of the display, repeated three times so that these rules take precedence over a front end's rules for
# tables.
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
    """Return a complete display. parts: HTML."""
    return f'<div class="mg-out"><style>{STYLE}</style>{"".join(parts)}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = (), kind: str = "") -> str:
    """Return a table that scrolls if it is too wide.

    heads: strings; if empty, there is no header line. rows: lists of HTML; their first cell is a header if `kind` is
    'mg-numbers' and there are heads. right: indices of the right-aligned columns.
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
    """Return a section that a click on `summary` shows or hides. Both are HTML."""
    return f"<details{' open' if is_open else ''}><summary>{summary}</summary>{inside}</details>"


def code(text: object) -> str:
    """Return text in a monospaced font."""
    return f"<code>{escape(str(text))}</code>"


def dim(text: object) -> str:
    """Return dimmed text."""
    return f'<span class="mg-dim">{escape(str(text))}</span>'


def badge(text: str, waits: bool = False) -> str:
    """Return the HTML of a badge for a row. waits: whether the badge's value is not known yet."""
    return f'<em class="mg-badge{" mg-wait" if waits else ""}">{escape(text)}</em>'


def count_text(number: int, what: str) -> str:
    """Format a count: '1 parameter', '1,200 parameters'."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"

"""A small canvas for SVG drawings that are readable on light and on dark pages.

All text is set in a monospaced font, so its width is known, and boxes fit their contents.
"""

from contextlib import contextmanager
from html import escape

__all__ = ["Drawing", "text_width"]

FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
ADVANCE = 0.605         # character width in the widest of these fonts, at font size 1

# kind -> ((fill, stroke) on light pages, (fill, stroke) on dark pages)
KINDS = {
    "ops": (("#fef3c7", "#b45309"), ("#3a2406", "#fbbf24")),
    "array": (("#dbeafe", "#2563eb"), ("#152149", "#60a5fa")),
    "backend": (("#dcfce7", "#15803d"), ("#062a17", "#4ade80")),
    "tape": (("#fae8ff", "#a21caf"), ("#34083f", "#e879f9")),
    "symbol": (("#cffafe", "#0e7490"), ("#072f3c", "#22d3ee")),
    "gluon": (("#ffe4e6", "#be123c"), ("#430b1a", "#fb7185")),
    "base": (("#eef1f4", "#59636e"), ("#20272e", "#9aa4af")),
}
INKS = {"ink": ("#1f2328", "#e6edf3"), "muted": ("#59636e", "#9aa4af"), "paper": ("#ffffff", "#0d1117")}


def text_width(text, size=13):
    """Return the width of the longest line."""
    return max(len(line) for line in str(text).split("\n")) * ADVANCE * size


class Drawing:
    """Shapes on a page of a given size. The origin is the upper left corner."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.period = 0         # the animation restarts after this many seconds
        self._parts, self._rules = [], []

    def text(self, x, y, text, size=13, ink="ink", anchor="start", bold=False):
        """Draw lines of text; y is the baseline of the first line. ink: 'ink', 'muted' or a kind."""
        weight = ' font-weight="600"' if bold else ""
        for number, line in enumerate(str(text).split("\n")):
            self._parts.append(f'<text class="t-{ink}" x="{x:g}" y="{y + number * size * 1.4:g}" font-size="{size}" '
                               f'text-anchor="{anchor}"{weight} xml:space="preserve">{escape(line)}</text>')

    def box(self, x, y, width, height, kind, dashed=False, radius=7):
        """Draw a rounded rectangle in the colors of a kind."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(f'<rect class="k-{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
                           f'rx="{radius}" stroke-width="1.5"{dash}/>')

    def labelled(self, x, y, width, kind, title, lines="", size=13, dashed=False):
        """Draw a box with a bold title and smaller lines below. Returns its height; raises an error if the text is too
        wide."""
        height = 30 + (len(lines.split("\n")) * (size - 1) * 1.4 + 4 if lines else 0)
        if max(text_width(title, size), text_width(lines, size - 1)) + 20 > width:
            raise ValueError(f"{title!r} does not fit in {width}")
        self.box(x, y, width, height, kind, dashed)
        self.text(x + 10, y + 20, title, size, kind, bold=True)
        if lines:
            self.text(x + 10, y + 40, lines, size - 1)
        return height

    def path(self, data, kind="muted", arrow=True, width=1.5, dashed=False):
        """Draw a line given as SVG path data, with an arrowhead at its end."""
        head = f' marker-end="url(#head-{kind})"' if arrow else ""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(f'<path class="s-{kind}" d="{data}" fill="none" stroke-width="{width}"{dash}{head}/>')

    def arrow(self, x1, y1, x2, y2, kind="muted", dashed=False):
        """Draw a straight arrow."""
        self.path(f"M {x1:g} {y1:g} L {x2:g} {y2:g}", kind, dashed=dashed)

    @contextmanager
    def appearing(self, at, moved=(0, 0)):
        """Let the shapes drawn inside `with` appear after `at` seconds and move from `moved` to their positions.

        They are always shown if the reader's system asks for reduced motion, and in programs that do not support
        animation.
        """
        name, share = f"a{len(self._rules)}", 100 / self.period
        dx, dy = moved
        self._rules.append(
            f"@keyframes {name} {{ 0%, {at * share:.1f}% {{ opacity: 0; transform: translate({dx:g}px, {dy:g}px) }} "
            f"{(at + 0.7) * share:.1f}%, 97% {{ opacity: 1; transform: none }} 100% {{ opacity: 0 }} }} "
            f".{name} {{ animation: {name} {self.period}s infinite }}")
        self._parts.append(f'<g class="{name}">')
        yield
        self._parts.append("</g>")

    def svg(self):
        """Return the complete file."""
        moving = "\n".join(self._rules)
        moving = f"\n@media (prefers-reduced-motion: no-preference) {{\n{moving}\n}}" if moving else ""
        inks = [*INKS, *KINDS]
        heads = "".join(
            f'<marker id="head-{ink}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            f'orient="auto-start-reverse"><path class="f-{ink}" d="M 0 1 L 9 5 L 0 9 z"/></marker>' for ink in inks)
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" font-family="{FONT}" role="img">',
            f"<title>{escape(self.title)}</title>",
            f"<style>\n{_style(0)}\n@media (prefers-color-scheme: dark) {{\n{_style(1)}\n}}{moving}\n</style>",
            f"<defs>{heads}</defs>",
            f'<rect class="f-paper" width="{self.width:g}" height="{self.height:g}" rx="10"/>',
            *self._parts, "</svg>", ""])


def _style(dark):
    """Return the rules for light (0) or dark (1) pages."""
    rules = []
    for ink, colors in INKS.items():
        rules.append(f".t-{ink}, .f-{ink} {{ fill: {colors[dark]} }} .s-{ink} {{ stroke: {colors[dark]} }}")
    for kind, pages in KINDS.items():
        fill, stroke = pages[dark]
        rules.append(f".k-{kind} {{ fill: {fill}; stroke: {stroke} }} .t-{kind}, .f-{kind} {{ fill: {stroke} }} "
                     f".s-{kind} {{ stroke: {stroke} }}")
    return "\n".join(rules)

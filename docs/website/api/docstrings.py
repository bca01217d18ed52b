"""A parser for the project's docstring format.

The description comes first, followed by shapes, with one or several arrays per line; `name: sentence` for parameters;
"Raises X if ..."; "Source: paper"; and finally examples. Older docstrings have several parameters in one paragraph.
"""

import inspect
import re
from dataclasses import dataclass

__all__ = ["Part", "parse"]

SHAPE = re.compile(r"(?:out|hidden|[a-z]\w*(?:, [a-z]\w*)*):?\s+\(")
SENTENCE = re.compile(r"([a-z_]\w*(?:, [a-z_]\w*)*): (.*)")


@dataclass
class Part:
    """One part of a docstring.

    kind: 'text', 'shapes', 'parameter', 'raises', 'source', 'code' or 'example'. lines: its lines. name: the name of a
    parameter, or several names separated by commas.
    """

    kind: str
    lines: list
    name: str = ""

    @property
    def text(self):
        return " ".join(line.strip() for line in self.lines)


def parse(doc, parameters=()):
    """Return the Parts of a docstring. parameters: names whose sentences may begin in the middle of a line."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(doc or "")):
        lines = paragraph.split("\n")
        if lines[0].startswith(">>>"):
            _add_example(parts, lines)
        elif all(line.startswith("  ") for line in lines):
            parts.append(Part("code", lines))
        else:
            parts += _lines_of_paragraph(lines, parameters)
    return [part for part in parts if any(line.strip() for line in part.lines)]


def _add_example(parts, lines):
    """Add an example; examples separated by an empty line become one."""
    if parts and parts[-1].kind == "example":
        parts[-1].lines += ["", *lines]
    else:
        parts.append(Part("example", lines))


def _lines_of_paragraph(lines, parameters):
    parts = []
    for number, line in enumerate(lines):
        sentence = SENTENCE.match(line)
        if line.startswith(">>>"):
            return [*parts, Part("example", lines[number:])]
        if line.startswith("Raises "):
            parts.append(Part("raises", [line]))
        elif line.startswith("Source: "):
            parts.append(Part("source", [line.removeprefix("Source: ")]))
        elif SHAPE.match(line) or (" | " in line and parts and parts[-1].kind == "shapes") or _goes_on(line, parts):
            if parts and parts[-1].kind == "shapes":
                parts[-1].lines.append(line)
            else:
                parts.append(Part("shapes", [line]))
        elif sentence and (not parts or parts[-1].kind == "parameter" or _are_parameters(sentence[1], parameters)):
            parts.append(Part("parameter", [sentence[2]], sentence[1]))
        elif parts and parts[-1].kind not in ("shapes", "code"):
            parts[-1].lines.append(line)
        else:
            parts.append(Part("text", [line]))
    return [part for joined in parts for part in _separate(joined, parameters)]


def _goes_on(line, parts):
    """Return whether a line under shapes continues them."""
    return bool(parts) and parts[-1].kind == "shapes" and line.startswith(("with ", "hidden", "  "))


def _are_parameters(names, parameters):
    return any(name in parameters for name in names.split(", "))


def _separate(part, parameters):
    """Split a paragraph `a: first sentence. b: second sentence.` in two."""
    if part.kind not in ("parameter", "text"):
        return [part]
    found = [m for m in re.finditer(r"(?<=[.;)?] )([a-z_]\w*(?:, [a-z_]\w*)*): ", part.text)
             if _are_parameters(m[1], parameters)]
    begins = [0, *(m.start() for m in found), len(part.text)]
    pieces = [part.text[a:b].strip() for a, b in zip(begins, begins[1:])]
    others = [Part("parameter", [piece[m.end() - m.start():].rstrip(";")], m[1]) for piece, m in zip(pieces[1:], found)]
    return [Part(part.kind, [pieces[0]], part.name), *others]

"""Chinese pages beside the English ones: which belong together, and which sections have fallen behind.

    python tests/scripts/stamp_chinese.py [PAGE ...]

docs/zh/README.md is the repository's README, docs/zh/NAME.md is docs/NAME.md, page.zh.md is the page.md beside it.
Under each heading a Chinese page has a stamp, `<!-- of: 3f2a9c01 -->`: the hash of the English section's prose that it
was translated from. This script writes the stamps of the pages named, or of all, and prints the headings of sections
whose English has changed since: read those first. It also leads links to Chinese pages where there are such by now.
tests/docs/test_chinese.py says what is to do.

A translation has the same headings, blocks of code, names in backticks and links as the English page. A paragraph is
one line, because a line break between Chinese characters would show as a space.
"""

import hashlib
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Section", "anchors", "chinese_target", "code_of", "names_of", "pairs", "relinked", "resolved", "sections",
           "stamped"]

ROOT = Path(__file__).resolve().parents[2]
CHINESE = ROOT / "docs" / "zh"
FENCED = r"^ *(?P<fence>`{3,})[^\n]*\n.*?^ *(?P=fence)$\n?"
INDENTED = r"(?<=\n\n)(?: {4}[^\n]*\n|\n(?= {4}))+"
CODE = re.compile(f"{FENCED}|{INDENTED}", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#+) (.*)\n", re.MULTILINE)
STAMP = re.compile(r"^<!-- of: (\w+) -->\n", re.MULTILINE)
TARGET = re.compile(r"(?<=\]\()[^)\s]+(?=\))")


@dataclass(frozen=True)
class Section:
    """What stands below one heading: the prose, without code and stamp, and the stamp's hash or None."""

    level: int
    heading: str
    prose: str
    stamp: str

    @property
    def hash(self):
        """Of heading and prose; how lines are broken does not count."""
        text = " ".join(f"{self.heading} {self.prose}".split())
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def pairs():
    """{Chinese page: the English page that it translates}."""
    book = {path: ROOT / ("" if path.name == "README.md" else "docs") / path.name for path in CHINESE.glob("*.md")}
    course = {path: path.with_name(path.name.replace(".zh.md", ".md"))
              for path in (ROOT / "minigluon").rglob("*.zh.md")}
    return dict(sorted({**book, **course}.items()))


def pieces(text):
    """A page's text as [prose, code, prose, ..., code, prose]."""
    found, end = [], 0
    for match in CODE.finditer(text):
        found += [text[end:match.start()], match[0]]
        end = match.end()
    return [*found, text[end:]]


def code_of(text):
    """The blocks of code, in order."""
    return [code.rstrip("\n") for code in pieces(text)[1::2]]


def without_code(text):
    return "".join(pieces(text)[::2])


def with_prose(changed, text):
    """A page's text with the prose changed, and the code as it is."""
    return "".join(piece if i % 2 else changed(piece) for i, piece in enumerate(pieces(text)))


def sections(text):
    """The sections of a page, in order."""
    _, *parts = HEADING.split(without_code(text))
    found = []
    for marks, heading, body in zip(parts[::3], parts[1::3], parts[2::3]):
        stamp = STAMP.search(body)
        found.append(Section(len(marks), heading, STAMP.sub("", body), stamp and stamp[1]))
    return found


def names_of(section):
    """What stands in backticks in a section's heading and prose."""
    return set(re.findall(r"`[^`]+`", " ".join(f"{section.heading} {section.prose}".split())))


def anchors(page):
    """The anchors of a page's headings, in order, as GitHub makes them."""
    return [re.sub(r"[^\w\- ]", "", section.heading.lower()).replace(" ", "-")
            for section in sections(page.read_text(encoding="utf-8"))]


def resolved(page, text):
    """Where the links of a page lead: (file, anchor), or (address, ""), in order."""
    found = []
    for target in TARGET.findall(without_code(text)):
        path, _, anchor = target.partition("#")
        web = re.match(r"\w+:", target)
        found.append((target, "") if web else ((page.parent / path).resolve() if path else page, anchor))
    return found


def chinese_target(target, anchor):
    """Where a Chinese page's link leads instead of (file, anchor) of an English one."""
    translated = {english: chinese for chinese, english in pairs().items()}
    if target not in translated:
        return target, anchor
    headings = dict(zip(anchors(target), anchors(translated[target])))
    return translated[target], headings.get(anchor, anchor)


def relinked(page, text):
    """A Chinese page's text, whose links lead to Chinese pages where there are such. That to its own English stays."""
    english = pairs()[page]

    def replaced(match):
        path, _, anchor = match[0].partition("#")
        file = (page.parent / path).resolve() if path else english
        leads, heading = chinese_target(file, anchor)
        if re.match(r"\w+:", match[0]) or leads == file or (path and file == english):
            return match[0]
        relative = os.path.relpath(leads, page.parent).replace(os.sep, "/") if path else ""
        return relative + (heading and f"#{heading}")

    return with_prose(lambda prose: TARGET.sub(replaced, prose), text)


def stamped(text, english):
    """A Chinese page's text with the stamps of the English sections as they are now."""
    hashes = iter([section.hash for section in sections(english)])

    def with_stamps(prose):
        return HEADING.sub(lambda match: f"{match[0]}\n<!-- of: {next(hashes)} -->\n",
                           re.sub(r"\n<!-- of: \w+ -->\n", "", prose))

    return with_prose(with_stamps, text)


def main(pages):
    """Write stamps and links of the pages."""
    for page in pages:
        text, english = (path.read_text(encoding="utf-8") for path in (page, pairs()[page]))
        if [s.level for s in sections(text)] != [s.level for s in sections(english)]:
            sys.exit(f"{page} has other headings than {pairs()[page]}")
        for old, new in zip(sections(text), sections(english)):
            if old.stamp != new.hash:
                print(f"{page.relative_to(ROOT)}: {old.heading}  ({new.heading})")
        page.write_text(relinked(page, stamped(text, english)), encoding="utf-8")


if __name__ == "__main__":
    main([Path(argument).resolve() for argument in sys.argv[1:]] or pairs())

"""Slides of a chapter, as one HTML file that needs nothing else; without the answers of its exercises.

    python docs/make_slides.py 3-the-tape > tape.html
    python docs/make_slides.py 3-the-tape --answers > answers.html      # the exercises with their solutions, instead

Each section becomes slides with the first sentence of each paragraph. Short code is on the slide of the text before it;
longer code, a picture and a table have slides of their own. The whole text is under the slide: press N to show it.
Arrow keys turn the pages, and a browser prints them, one on a page. Needs markdown-it-py, which the extra `docs`
installs.
"""

import argparse
import base64
import html
import re
import sys
from pathlib import Path

from markdown_it import MarkdownIt

DOCS = Path(__file__).resolve().parent
BLOCK = re.compile(r"^```\w*\n(.*?)^```$(?:\n+^```text\n(.*?)^```$)?"               # code, and what it prints
                   r"|^!\[([^\]]*)\]\(([^)\s]+)\)$"                                 # a picture
                   r"|^((?:\|.*\n)+)|^(<details>.*?^</details>)",                   # a table, a solution
                   re.MULTILINE | re.DOTALL)
SHORT, LINES = 12, 24   # of code: up to so many lines, it joins the slide of its text; above so many, it is smaller
POINTS = 3              # on a slide that code may join
END = re.compile(r"(?<=[.?!:])\s+(?=[A-Z`*\[])")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", re.DOTALL)
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
html {{ scroll-snap-type: y mandatory; font: 3.2vmin/1.45 system-ui, sans-serif; color: #1b1b1b; background: #fff; }}
body {{ margin: 0; }}
section {{ min-height: 100vh; box-sizing: border-box; padding: 6vmin 8vmin; scroll-snap-align: start; }}
h1, h2 {{ margin: 0 0 4vmin; font-size: 1.5em; line-height: 1.2; }}
li {{ margin: 0 0 2vmin; }}
img {{ display: block; width: 100%; max-height: 72vh; object-fit: contain; }}
pre {{ margin: 0; padding: 2vmin; background: #f4f4f1; font-size: .68em; line-height: 1.35; white-space: pre-wrap; }}
pre.long {{ font-size: .48em; }}
table {{ border-collapse: collapse; font-size: .6em; }}
td, th {{ padding: .3em .8em; border-bottom: 1px solid #bbb; text-align: left; vertical-align: top; }}
aside {{ display: none; margin-top: 5vmin; padding-top: 2vmin; border-top: 1px solid #bbb; font-size: .6em; }}
body.notes aside {{ display: block; }}
@media print {{ section {{ break-after: page; min-height: auto; }} }}
@page {{ size: 297mm 167mm; margin: 0; }}
</style></head>
<body>
{slides}
<script>
addEventListener("keydown", (event) => {{
  if (event.key === "n" || event.key === "N") document.body.classList.toggle("notes");
  const step = {{ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1}}[event.key];
  if (!step) return;
  event.preventDefault();
  const slides = [...document.querySelectorAll("section")];
  const now = slides.findIndex((slide) => slide.getBoundingClientRect().bottom > innerHeight / 2);
  slides[Math.min(Math.max(now + step, 0), slides.length - 1)].scrollIntoView();
}});
</script>
</body></html>
"""


def slides_of(path, answers=False):
    """Return the HTML of a chapter's slides; with answers=True, that of its exercises with their solutions."""
    text = path.read_text(encoding="utf-8")
    title, _, body = text.partition("\n")
    sections = re.split(r"^(#{2,3} .*)\n", "## " + title.lstrip("# ") + "\n" + body, flags=re.MULTILINE)[1:]
    slides = []
    for heading, content in zip(sections[::2], sections[1::2], strict=True):
        if not answers or heading == "## Exercises":
            slides += section(heading.lstrip("# "), content, path.parent, answers)
    return PAGE.format(title=html.escape(title.lstrip("# ")), slides="\n".join(slides))


def section(heading, content, folder, answers):
    """Yield the slides of a section: what its paragraphs say, then its code, pictures and tables, in their order."""
    paragraphs = []
    for kind, value in parts(content):
        if kind == "text":
            paragraphs.append(value)
        elif kind == "code" and value.count("\n") <= SHORT and len(paragraphs) <= POINTS:
            yield slide(heading, points(paragraphs) + shown(kind, value, folder), paragraphs)
            paragraphs = []
        elif kind != "answer" or answers:
            if paragraphs:
                yield slide(heading, points(paragraphs), paragraphs)
                paragraphs = []
            if kind == "answer":
                yield from section(f"{heading}: a solution", value, folder, answers)
            else:
                yield slide(heading, shown(kind, value, folder))
    if paragraphs:
        yield slide(heading, points(paragraphs), paragraphs)


def parts(content):
    """Yield (kind, value) of the blocks of a section: text, code (with what it prints), picture, table or answer."""
    position = 0
    for found in BLOCK.finditer(content):
        yield from (("text", text) for text in paragraphs_of(content[position:found.start()]))
        position = found.end()
        if found[1] is not None:
            yield "code", found[1] + (f"\n{found[2]}" if found[2] else "")
        elif found[4]:
            yield "picture", (found[3], found[4])
        elif found[5]:
            yield "table", found[5]
        else:
            yield "answer", re.sub(r"</?details>|<summary>.*?</summary>", "", found[6])
    yield from (("text", text) for text in paragraphs_of(content[position:]))


def paragraphs_of(text):
    """Return the paragraphs of a text and the items of its lists, without comments and the link to the next page."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    chunks = re.split(r"\n\s*\n|\n(?=- |\d+\. )", text)
    return [" ".join(chunk.split()) for chunk in chunks if chunk.strip() and not chunk.lstrip().startswith("Next: ")]


def points(paragraphs):
    """Return the first sentences as a list."""
    firsts = [END.split(re.sub(r"^(- |\d+\. )", "", text), maxsplit=1)[0] for text in paragraphs]
    return "<ul>" + "".join(f"<li>{inline(first)}</li>" for first in firsts) + "</ul>"


def shown(kind, value, folder):
    if kind == "code":
        long = ' class="long"' if value.count("\n") > LINES else ""
        return f"<pre{long}>{html.escape(value.rstrip())}</pre>"
    if kind == "table":
        return MarkdownIt().enable("table").render(LINK.sub(r"\1", value))
    words, name = value
    file = folder / name
    form = {".svg": "svg+xml", ".jpg": "jpeg"}.get(file.suffix, file.suffix[1:])
    data = base64.b64encode(file.read_bytes()).decode()
    return f'<img alt="{html.escape(words)}" src="data:image/{form};base64,{data}">'


def slide(heading, body, notes=()):
    text = "".join(f"<p>{inline(note)}</p>" for note in notes)
    return f"<section><h2>{inline(heading)}</h2>{body}{f'<aside>{text}</aside>' if text else ''}</section>"


def inline(text):
    """Return a line of Markdown as HTML, with only the words of its links, since their pages are not at hand."""
    return MarkdownIt().renderInline(LINK.sub(r"\1", text))


def main():
    parser = argparse.ArgumentParser(description="Make slides of a chapter, as one HTML file.")
    parser.add_argument("chapter", help="its file in docs, with or without .md, or its number")
    parser.add_argument("--answers", action="store_true", help="the exercises with their solutions, instead")
    options = parser.parse_args()
    name = options.chapter.removesuffix(".md")
    found = sorted(DOCS.glob(f"{name}-*.md" if name.isdecimal() else f"{name}.md"))
    if not found:
        sys.exit(f"{DOCS} has no chapter {options.chapter}")
    print(slides_of(found[0], options.answers))


if __name__ == "__main__":
    main()

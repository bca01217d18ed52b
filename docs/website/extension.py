"""What Sphinx does besides: pages of source files, links to any file of the site, pictures and tables that scroll."""

import json
from html import escape
from pathlib import Path

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx.util.osutil import relative_uri

__all__ = ["setup"]

ROOT = Path(__file__).resolve().parents[2]


def setup(app):
    app.connect("doctree-resolved", resolve_links)
    app.connect("doctree-resolved", frame_pictures)
    app.connect("html-collect-pages", source_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def resolve_links(app, doctree, docname):
    """A link to site:PATH leads to that path of the site."""
    for node in doctree.findall(nodes.reference):
        if node.get("refuri", "").startswith("site:"):
            node["refuri"] = relative_uri(app.builder.get_target_uri(docname), node["refuri"].removeprefix("site:"))
            node["internal"] = True


def frame_pictures(app, doctree, docname):
    """A picture stands in a frame in which it can be moved sideways, so that its texts keep their size on a phone."""
    for image in list(doctree.findall(nodes.image)):
        frame = nodes.container(classes=["picture"])
        image.replace_self(frame)
        frame += image


def source_pages(app):
    """(address, context, template) of the page of each file and folder that some page links to."""
    wanted = json.loads(Path(app.srcdir, "wanted.json").read_text(encoding="utf-8"))
    for path in wanted:
        body = folder_body(path, wanted) if (ROOT / path).is_dir() else file_body(path)
        title = path.rsplit("/", 1)[-1]
        yield f"source/{path}", {"title": title, "body": f"<h1>{escape(path)}</h1>\n{body}"}, "page.html"


def file_body(path):
    """A file, highlighted, each line with an anchor."""
    text = (ROOT / path).read_text(encoding="utf-8")
    try:
        lexer = get_lexer_for_filename(path)
    except ClassNotFound:
        lexer = TextLexer()
    return highlight(text, lexer, HtmlFormatter(linenos=False, lineanchors="L", cssclass="highlight source"))


def folder_body(path, wanted):
    """What is in a folder; with links to files that have a page."""
    items = []
    for child in sorted((ROOT / path).iterdir()):
        if child.name.startswith((".", "__pycache__")) or child.suffix in (".so", ".pyc"):
            continue
        name = child.relative_to(ROOT).as_posix()
        shown = escape(child.name + ("/" if child.is_dir() else ""))
        link = relative_uri(f"source/{path}.html", f"source/{name}.html")
        items.append(f'<li><a href="{link}">{shown}</a></li>' if name in wanted else f"<li>{shown}</li>")
    return f"<ul>{''.join(items)}</ul>"

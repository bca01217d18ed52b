"""A page for each source file and folder to which some page links.

Sphinx does not build these pages, because adding the theme's table of contents to hundreds of files would take up most
of the whole site's build time. They use the theme's colors.
"""

import os
from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

from .links import source_page

__all__ = ["write_sources"]

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{path} - minigluon</title>
<link rel="stylesheet" href="{root}_static/pygments.css">
<link rel="stylesheet" href="{root}_static/style.css">
</head>
<body class="source-page">
<script>document.body.dataset.theme = localStorage.getItem("theme") || "auto"</script>
<header><a href="{root}index.html">minigluon</a></header>
<main>
<h1>{trail}</h1>
{body}
</main>
<script src="{root}_static/scroll.js"></script>
</body>
</html>
"""


def write_sources(root, wanted, out, plain=False):
    """Write the pages for the `wanted` files and folders of the repository `root`, below the site's folder `out`.

    plain: omit the colors, which take most of the time.
    """
    body_of = plain_body if plain else file_body
    for path in sorted(wanted):
        page = out / source_page(path)
        page.parent.mkdir(parents=True, exist_ok=True)
        body = folder_body(root, path, wanted) if (root / path).is_dir() else body_of(root / path)
        up = "../" * (path.count("/") + 1)
        page.write_text(PAGE.format(path=escape(path), root=up, trail=trail(path, wanted), body=body), encoding="utf-8")


def trail(path, wanted):
    """Return the path, with links to the parent folders that have a page."""
    parts = path.split("/")
    folders = ["/".join(parts[:i]) for i in range(1, len(parts))]
    shown = [link(path, folder, name) if folder in wanted else name for folder, name in zip(folders, parts)]
    return "/".join([*shown, escape(parts[-1])])


def link(here, there, text):
    target = os.path.relpath(source_page(there), os.path.dirname(source_page(here))).replace(os.sep, "/")
    return f'<a href="{escape(target)}">{escape(text)}</a>'


def file_body(path):
    """Return a highlighted file, each line with an anchor: L-1, L-2. Measurements have no colors, which would make the
    files six times larger and would not help."""
    try:
        lexer = TextLexer() if path.suffix == ".json" else get_lexer_for_filename(path.name)
    except ClassNotFound:
        lexer = TextLexer()
    return highlight(path.read_text(encoding="utf-8"), lexer, HtmlFormatter(linespans="L"))


def plain_body(path):
    """Return a file with the anchors of `file_body` and without colors."""
    lines = escape(path.read_text(encoding="utf-8"), quote=False).splitlines(keepends=True)
    numbered = "".join(f'<span id="L-{number}">{line}</span>' for number, line in enumerate(lines, 1))
    return f'<div class="highlight"><pre>{numbered}</pre></div>'


def folder_body(root, path, wanted):
    """Return a folder's contents, with links to the entries that have a page."""
    items = []
    for child in sorted((root / path).iterdir(), key=lambda child: (child.is_file(), child.name)):
        name = child.relative_to(root).as_posix()
        if child.name[0] == "." or child.name == "__pycache__" or child.suffix in (".so", ".pyc", ".egg-info"):
            continue
        shown = child.name + "/" * child.is_dir()
        items.append(f"<li>{link(path, name, shown) if name in wanted else escape(shown)}</li>")
    return f"<ul>{''.join(items)}</ul>"

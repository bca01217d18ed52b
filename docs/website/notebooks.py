"""A chapter as a notebook: its Python blocks are the cells, and their output is shown below them.

Solutions of exercises are folded, both text and code.

The images are embedded, so that the file can be moved. Links lead to the site if its address is known; otherwise only
the link text is kept.
"""

import base64
import os
import re

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

__all__ = ["notebook_of", "write_notebook"]

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
REST = "<details><summary>The rest of it</summary>\n"          # the rest of a solution, after its code
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


def write_notebook(path, folder, pages, url=""):
    """Write the notebook of a chapter to a folder. Returns its name. pages, url: see notebook_of."""
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook_of(path, pages, url), folder / f"{path.stem}.ipynb")
    return f"{path.stem}.ipynb"


def notebook_of(path, pages=(), url=""):
    """Return the notebook of a chapter. pages: {file of the repository: its page's source}. url: the site's address."""
    cells = list(cells_of(path.read_text(encoding="utf-8")))
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"              # the same in each build
        if cell.cell_type == "markdown":
            with_images(cell, path.parent)
            cell.source = LINK.sub(lambda m: linked(m, path, pages, url), cell.source)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def cells_of(text):
    """Return the cells of a page's Markdown. A ```text block after a ```python block is the output of that block."""
    prose, begin, printing = "", 0, None
    for block in FENCE.finditer(text):
        between = text[begin:block.start()]
        begin = block.end()
        if printing is not None and block[1] == "text" and not between.strip():
            printing.outputs = [new_output("stream", name="stdout", text=block[2])]
            printing = None
            continue
        prose += between
        printing = None
        if block[1] != "python":
            prose += block[0]
            continue
        folded = prose.count("<details>") > prose.count("</details>")
        yield from markdown_cells(prose + "\n</details>" * folded)
        printing = new_code_cell(block[2].rstrip("\n"))
        if folded:
            printing.metadata.update(tags=["solution", "hide-input"], jupyter={"source_hidden": True})
        yield printing
        prose = REST * folded
    yield from markdown_cells(prose + text[begin:])


def markdown_cells(prose):
    """Yield a cell with the text, unless the text is empty."""
    text = re.sub(re.escape(REST) + r"\s*</details>", "", prose).strip()
    if text:
        yield new_markdown_cell(text)


def with_images(cell, folder):
    """Embed the images of a Markdown cell in the notebook."""
    for _, target in IMAGE.findall(cell.source):
        if (folder / target).exists():
            kind = {"svg": "image/svg+xml", "png": "image/png"}[target.rsplit(".", 1)[1]]
            data = base64.b64encode((folder / target).read_bytes()).decode("ascii")
            name = os.path.basename(target)
            cell.setdefault("attachments", {})[name] = {kind: data}
            cell.source = cell.source.replace(f"]({target})", f"](attachment:{name})")


def linked(match, path, pages, url):
    """Return a link in the form that notebooks need."""
    text, target, anchor = match[1], match[2], match[3] or ""
    if target.startswith(("http://", "https://", "attachment:")) or not target:
        return match[0]
    if not url:
        return text
    root = path.parents[1]
    found = os.path.relpath((path.parent / target).resolve(), root).replace(os.sep, "/")
    page = pages[found].removesuffix(".md") if found in dict(pages) else f"source/{found}"
    return f"[{text}]({url.rstrip('/')}/{page}.html{anchor})"

"""Sources for Sphinx: the repository's Markdown pages with adapted links, and generated pages."""

import re
import shutil
from pathlib import Path

from . import charts, explained, programs
from .api import write_reference
from .landing import landing_page
from .links import Links
from .notebooks import write_notebook
from .sources import write_sources

__all__ = ["assemble"]

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["docs", "docs/zh", "docs/programs", "benchmarks", "tests", "tests/libraries", "tests/scripts",
           "minigluon_accel", "minigluon/tools/learn"]

MADE = ["api/index", "explained/index", "benchmarks/charts", "readme"]      # pages without a file in the repository

CHINESE = "docs/zh/index.md"            # the landing page in Chinese

# Pages by caption, in order, without ".md"; other pages follow under the last caption.
SHELVES = {
    "Use it": ["api/index", "docs/only-here", "docs/from-mxnet", "docs/from-pytorch", "docs/weights",
               "docs/notebooks", "docs/teaching", "docs/mistakes", "docs/debugging", "docs/differences",
               "docs/behaviours", "docs/reliability", "docs/cluster", "docs/names", "docs/operators-accelerated"],
    "Programs": ["explained/index", "docs/programs/README"],
    "The project": ["readme", "docs/spine", "docs/modules", "docs/contributing", "docs/style",
                    "docs/adding-an-operator", "docs/site-compared", "docs/versions", "docs/changelog",
                    "docs/design-notes", "benchmarks/README", "benchmarks/charts", "benchmarks/engines",
                    "benchmarks/zoo", "benchmarks/gpu-results", "benchmarks/gpu-kernels", "benchmarks/NOTES",
                    "minigluon_accel/README", "minigluon/tools/learn/README", "tests/README"],
}


def assemble(out, extra, url="", plain_sources=False):
    """Write the sources of all pages to the folder `out`, and unchanged files of the site to `extra`.

    plain_sources: pages of source files have no colors, see `write_sources`.
    """
    files = [path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.md"))]
    files += [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("minigluon/tools/learn/steps/*/page*.md"))]
    pages = {"README.md": "readme.md", **{path: path for path in files}, **programs.pages(ROOT)}
    links = Links(ROOT, pages)
    notebooks = {}
    for path in files:
        text = (ROOT / path).read_text(encoding="utf-8")
        if is_chapter(path) or path == "docs/notebooks.md":
            notebooks[path] = write_notebook(ROOT / path, extra / "notebooks", pages, url)
            text = below_title(text, f"[Open as a notebook](site:notebooks/{notebooks[path]}): a file for Jupyter, to "
                                     "run and to change.")
        if path == "benchmarks/README.md":
            text = below_title(text, "The times of this page and of the model zoo are also "
                                     "[drawn](site:benchmarks/charts.html).")
        write(out / path, links.rewrite(text, path))
    for path, text in programs.texts(ROOT):
        write(out / pages[path], text)
    write(out / "readme.md", links.rewrite((ROOT / "README.md").read_text(encoding="utf-8"), "README.md"))
    chapters = len([path for path in files if is_chapter(path)])
    index = landing_page(ROOT, "landing.md", chapters)
    write(out / "index.md", index + contents(files, [pages[path] for path in programs.pages(ROOT)]))
    write(out / CHINESE, landing_page(ROOT, "landing.zh.md", chapters))
    links.images.add("docs/images/landing.svg")
    for image in links.images:
        (out / image).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / image, out / image)
    write(out / "explained" / "index.md", explained.text())
    explained.write_explained(extra / "explained")
    write(out / "benchmarks" / "charts.md", charts.text(ROOT))
    charts.write_charts(ROOT, out / "benchmarks" / "charts")
    write_reference(out, links.wanted)
    write_sources(ROOT, links.wanted, extra, plain_sources)


def write(path, text):
    """Write a text file, and create its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def is_chapter(path):
    """Return whether this file is a chapter of the book."""
    return re.match(r"docs/\d+-", path) is not None


def chapter_number(path):
    return int(re.match(r"docs/(\d+)-", path)[1])


def below_title(text, line):
    """Return a page with an additional paragraph below its title."""
    title, rest = text.split("\n", 1)
    return f"{title}\n\n{line}\n{rest}"


def contents(files, program_pages):
    """Return the tables of contents, which the theme shows next to each page."""
    chapters = sorted(filter(is_chapter, files), key=chapter_number)
    chinese = [path for path in files if path.startswith("docs/zh/") or path.endswith(".zh.md")]
    steps = [path for path in files if path.startswith("minigluon/tools/learn/steps/") and path not in chinese]
    shelves = {"The book": ["docs/README", *names(chapters), *present(["docs/glossary"], files)],
               "The course": [*present(["docs/course"], files), *names(steps)],
               "中文": names([CHINESE, *sorted(chinese, key=in_order)])}
    shelves |= {caption: present(listed, files) for caption, listed in SHELVES.items()}
    shelves["Programs"] += names(program_pages)
    placed = {name for listed in shelves.values() for name in listed}
    shelves["The project"] += [name for name in names(files) if name not in placed]
    return "".join(f"\n```{{toctree}}\n:caption: {caption}\n:hidden:\n\n" + "\n".join(listed) + "\n```\n"
                   for caption, listed in shelves.items() if listed)


def in_order(path):
    """Return the sort key of pages in Chinese: the README, then the chapters by number, then the course steps."""
    number = re.match(r"docs/zh/(\d+)-", path)
    return path.endswith(".zh.md"), int(number[1]) if number else -1, path


def names(paths):
    return [path.removesuffix(".md") for path in paths]


def present(listed, files):
    """Return the existing pages of a section."""
    return [name for name in listed if f"{name}.md" in files or name in MADE]

"""Build the site: the book, the course, the reference and the rest as static pages.

    python docs/build_site.py OUT

OUT is created, or replaced if it contains an older site. Nothing is downloaded; warnings are errors. It requires the
extra `docs`. website/ contains the parts:

    website/assemble.py     copies the repository's Markdown pages, and creates the others, as sources for Sphinx
    website/links.py        turns links to files of the repository into links to their pages
    website/conf.py         Sphinx's settings
    website/extension.py    additions to Sphinx: links to files of the site, pictures that scroll on a phone
    website/sources.py      pages of the source files that other pages link to
    website/notebooks.py    a chapter as a notebook
    website/explained.py    pages of `mx.explain` for five nets
    website/charts.py       charts of the times in the pages of measurements
    website/api             the reference, from signatures and docstrings
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]


def main():
    parser = argparse.ArgumentParser(description="Build the site as static pages.")
    parser.add_argument("out", type=Path, help="folder for the pages")
    parser.add_argument("--url", default="", help="where the site will be published, for the links of notebooks")
    parser.add_argument("--jobs", default="auto", help="processes for Sphinx, or auto")
    parser.add_argument("--plain-sources", action="store_true",
                        help="pages of source files without colors, which take a quarter of the time")
    options = parser.parse_args()
    started = time.time()
    build(options.out, options.url, options.jobs, options.plain_sources)
    pages = list(options.out.rglob("*.html"))
    print(f"{len(pages)} pages in {time.time() - started:.0f} s: {options.out / 'index.html'}")


def build(out, url="", jobs="auto", plain_sources=False):
    """Write the site into the folder `out`."""
    from sphinx.cmd.build import main as sphinx
    from website.assemble import assemble
    if out.exists() and any(out.iterdir()) and not (out / ".buildinfo").exists():
        sys.exit(f"{out} contains something other than a site")
    with tempfile.TemporaryDirectory() as folder:
        pages, extra, site = (Path(folder, name) for name in ("pages", "extra", "site"))
        assemble(pages, extra, url, plain_sources)
        failed = sphinx(["-q", "-W", "--keep-going", "-b", "html", "-j", jobs, "-c", str(HERE / "website"),
                         "-d", f"{folder}/doctrees", "-D", f"html_extra_path={extra}", str(pages), str(site)])
        if failed:
            sys.exit("the site has warnings, see above")
        if out.exists():
            shutil.rmtree(out)
        shutil.move(site, out)


if __name__ == "__main__":
    main()

"""Look at the displays of docs/notebooks.md: executed, converted by nbconvert, in a browser at two widths, both themes.

    python tests/scripts/check_displays.py OUT

OUT gets the executed notebook, its pages, and a picture of each width and theme. Here nets are really measured for
their display, which takes longer than in the test. It needs chromium, chromedriver, and the extra `test`. Ends with an
error where something is wrong.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers.displays import THEMES, WIDTHS, executed, html_of, look
from helpers.site_browser import SiteBrowser


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--widths", nargs="+", type=int, default=WIDTHS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    import nbformat
    with tempfile.TemporaryDirectory() as folder:
        notebook = executed(folder, measure=True)
    nbformat.write(notebook, options.out / "displays.ipynb")
    found = []
    with tempfile.TemporaryDirectory() as profile, SiteBrowser(options.out, profile) as browser:
        for theme in THEMES:
            name = f"displays-{theme}"
            (options.out / f"{name}.html").write_text(html_of(notebook, theme), encoding="utf-8")
            for width in options.widths:
                found += look(browser, name, width, theme, options.out / f"{name}-{width}.png")
    print("".join(f"{text}\n" for text in found) + f"{len(found)} findings, pictures in {options.out}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

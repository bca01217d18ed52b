"""Look at every page of a built site: dead links, sizes, three widths in light and dark, axe-core.

    python docs/build_site.py OUT && python tests/scripts/check_site.py OUT [--screenshots FOLDER] [--pages PREFIX ...]

axe-core looks at each page twice: 360 wide in light, 1280 wide in dark. It needs chromium, chromedriver, and the extra
`test`. Ends with an error where something is wrong.
"""

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers.site_browser import SCHEMES, WIDTHS, SiteBrowser
from helpers.site_checks import dead_links, heavy_pages, pages_of

AXE = {(360, "light"), (1280, "dark")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--screenshots", type=Path, help="folder for a picture of each page in each width and scheme")
    parser.add_argument("--pages", nargs="+", default=[""], help="only pages whose path begins so")
    parser.add_argument("--widths", nargs="+", type=int, default=WIDTHS)
    parser.add_argument("--schemes", nargs="+", choices=SCHEMES, default=SCHEMES)
    options = parser.parse_args()
    pages = pages_of(options.site)
    found = [f"{path}: dead link {link}" for path, link in dead_links(pages)]
    found += [f"{path}: {size} bytes" for path, size in heavy_pages(pages)]
    names = [path.relative_to(options.site.resolve()).with_suffix("").as_posix() for path in pages]
    names = [name for name in names if name.startswith(tuple(options.pages))]
    with tempfile.TemporaryDirectory() as profile, SiteBrowser(options.site, profile) as browser:
        said = 0
        for name in names:
            for width in options.widths:
                for scheme in options.schemes:
                    picture = options.screenshots and options.screenshots / f"{name}-{width}-{scheme}.png"
                    found += browser.look(name, width, scheme, (width, scheme) in AXE, picture)
            print("".join(f"{text}\n" for text in found[said:]), end="", flush=True)
            said = len(found)
    print(f"{len(names)} pages, {len(found)} findings: {Counter(text.split(': ')[1].split(',')[0] for text in found)}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

"""Execute the notebooks of a built site under each backend that is installed.

    python docs/build_site.py OUT && python tests/scripts/run_notebooks.py OUT

The GPU's backend is left out, unless it is named: --backends gpu.
"""

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers.notebooks import execute

import minigluon as mx


def main():
    installed = [name for name in ("numpy", "accel") if name in mx.backend.available()]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--backends", nargs="+", default=installed)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    runs = [(path, backend) for path in sorted((options.site / "notebooks").glob("*.ipynb"))
            for backend in options.backends]
    with ThreadPoolExecutor(options.jobs) as pool:
        wrong = [text for texts in pool.map(lambda run: executed(*run), runs) for text in texts]
    print(f"{len(runs)} runs, {len(wrong)} differences")
    sys.exit(bool(wrong))


def executed(path, backend):
    """Run one notebook, and say how it went."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            wrong = execute(path, folder, MINIGLUON_BACKEND=backend)
        except Exception as error:      # of the notebook: the others go on
            wrong = [f"{path.name}: {error}"]
    print(f"{path.name} on {backend}: {wrong or 'as the page says'}", flush=True)
    return wrong


if __name__ == "__main__":
    main()

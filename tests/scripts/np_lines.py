"""The size of the layer `mx.np`, in lines of code without docstrings: `python tests/scripts/np_lines.py`."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from helpers.code_lines import count  # noqa: E402

FOLDER = ROOT / "minigluon/numpy"
# What is not the front: its table of functions, arrays, types and `npx`. A path of a part begins with one of these.
PARTS = {
    "docstrings": ("function_texts/", "parameter_texts"),               # of functions that are generated
    "MXNet's files": ("nodes/",),                                       # names and attributes of its nodes
    "graphs": ("composite", "symbol", "traced_symbols"),                # nodes, `mx.sym.np` and `mx.sym.npx`
    "short calls": ("plans", "fast_paths"),                             # operators of calls like those before
}


def lines_of_parts():
    """Return {part: {path: number of lines}}."""
    parts = {part: {} for part in ["front", *PARTS]}
    for path in sorted(FOLDER.rglob("*.py")):
        name = str(path.relative_to(FOLDER))
        part = next((part for part, starts in PARTS.items() if name.startswith(starts)), "front")
        parts[part][name] = count(path.read_text(encoding="utf-8"))
    return parts


if __name__ == "__main__":
    for part, files in lines_of_parts().items():
        print(f"{part}: {sum(files.values())}")
        for name, number in sorted(files.items(), key=lambda item: -item[1]):
            print(f"    {number:4} {name}")

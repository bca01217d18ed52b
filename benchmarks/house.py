"""How a checkout is laid out, in numbers: files, names, families, private reads, calls, duplicates.

    python benchmarks/house.py [--root CHECKOUT ...] [--markdown] [--list]

One column for each root; without --root, this checkout. The rows, and what exactly is counted in them:

- files: in a folder itself, without its subfolders. Here and below, only files that git tracks.
- names that `Op` offers: public names in the class, annotated ones included. Of these, those that `register` fills in,
  those that at least one operator of the package declares or overrides, and the rest, which operators call.
- names that `Backend` offers: public names of the Protocol, its attributes and its methods.
- kernel in its family's module: an operator's family is the module of its class below minigluon.ops (`nn.matrix`); the
  module of its kernel's function below the package of kernels must be the same, or one must be a folder that contains
  the other. The plugin's own operators, which are in no family, do not count.
- foreign private names: `x._name` in minigluon and minigluon_accel, read or written, where x is not self, cls, super()
  or F (whose names are operators), and `_name` is not part of a namedtuple (`_replace`, ...). "In other files": those
  whose `_name` is neither defined nor set on self in the same file.
- calls: of Python functions, and of C functions in brackets, as `sys.setprofile` sees them; see `house_inside`.
- duplicated pairs: pairs of places with the same six lines in a row, longer runs counted once; lines are compared
  without indentation, comment lines, imports and lines without a letter. minigluon, minigluon_accel and tests.
- import: processor time of `import minigluon` after NumPy, the median of 15 fresh processes and the least.
"""

import argparse
import ast
import collections
import json
import os
import re
import statistics
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = {"minigluon": "minigluon/", "minigluon_accel": "minigluon_accel/minigluon_accel/", "tests": "tests/",
            "benchmarks": "benchmarks/"}
PLUGIN = PACKAGES["minigluon_accel"]
FOLDERS = ["minigluon", "minigluon/ops", f"{PLUGIN}kernels", f"{PLUGIN}csrc", f"{PLUGIN}gpu/kernels", "tests"]
SOURCE = (".py", ".pyi", ".pyx", ".pxi", ".pxd", ".c", ".h", ".cu", ".cuh")
WINDOW = 6              # lines
IMPORTS = 15            # processes

TIME_OF_IMPORT = "import numpy, time; t = time.process_time(); import minigluon; print(time.process_time() - t)"


def tracked(root):
    """Return the paths of the source files that git tracks, relative to the checkout."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files"], capture_output=True, text=True, check=True).stdout
    return [path for path in listed.splitlines() if path.endswith(SOURCE)]


# -- files -------------------------------------------------------------------------------------------------------------


def file_rows(root, paths):
    """Yield (what, figure)."""
    folders = collections.Counter(str(Path(path).parent) for path in paths)
    for folder in FOLDERS:
        below = {name: count for name, count in folders.items() if name.startswith(f"{folder}/")}
        yield f"files in {folder}/", folders[folder]
        largest = max(below, key=below.get, default=None)
        yield f"files in the largest folder below {folder}/", f"{below[largest]} ({largest})" if largest else "none"
    for package, start in PACKAGES.items():
        files = [path for path in paths if path.startswith(start)]
        lines = sum(len((root / path).read_text().splitlines()) for path in files)
        yield f"source files and lines in {package}", f"{len(files)}, {lines:,}"


# -- foreign private names ---------------------------------------------------------------------------------------------

OWN = {"self", "cls", "F"}
NAMEDTUPLE = {"_replace", "_fields", "_asdict", "_make", "_field_defaults"}


def is_foreign(node):
    """Return whether this node is `x._name` as in the module's docstring."""
    if not isinstance(node, ast.Attribute) or not re.match(r"_[^_]", node.attr) or node.attr in NAMEDTUPLE:
        return False
    value = node.value
    if isinstance(value, ast.Call):
        return not (isinstance(value.func, ast.Name) and value.func.id == "super")
    return not (isinstance(value, ast.Name) and value.id in OWN)


def defined_names(tree):
    """Return the names of functions, classes and variables in a file, and of attributes it sets on self or cls."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and not is_foreign(node):
            yield node.attr
        elif isinstance(node, ast.Assign) and "__slots__" in map(ast.unparse, node.targets):
            yield from (part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant))


def foreign_reads(root, paths):
    """Return {path: [(line, name, whether the name is defined in this file)]}."""
    found = {}
    for path in paths:
        if path.endswith(".py") and path.startswith((PACKAGES["minigluon"], PLUGIN)):
            tree = ast.parse((root / path).read_text())
            names = set(defined_names(tree))
            reads = [(node.lineno, node.attr, node.attr in names) for node in ast.walk(tree) if is_foreign(node)]
            if reads:
                found[path] = reads
    return found


# -- duplicates --------------------------------------------------------------------------------------------------------


def compared_lines(text):
    """Return (number, line) of the lines that count."""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if re.search("[A-Za-z]", line) and not re.match(r"#(?!define)|//|import |from .* import ", line):
            yield number, line


def duplicates(root, paths):
    """Return [(path, line, path, line)]: the beginnings of two places with the same lines."""
    files, places = {}, collections.defaultdict(list)
    for path in paths:
        if path.startswith((PACKAGES["minigluon"], PLUGIN, PACKAGES["tests"])) and not path.endswith(".pyi"):
            files[path] = lines = list(compared_lines((root / path).read_text()))
            for start in range(len(lines) - WINDOW + 1):
                places[tuple(line for _, line in lines[start:start + WINDOW])].append((path, start))

    def before(place):
        path, start = place
        return files[path][start - 1][1] if start else None

    def number(place):
        path, start = place
        return path, files[path][start][0]
    return [(*number(one), *number(other)) for same in places.values()
            for index, one in enumerate(same) for other in same[index + 1:]
            # If the lines before are also the same, the pair has already begun there.
            if before(one) is None or before(one) != before(other)]


# -- data from an imported checkout -----------------------------------------------------------------------------------


def has_plugin(root):
    """Return whether the checkout's plugin is built in place."""
    return any((root / PLUGIN).glob(f"engine*{sysconfig.get_config_var('EXT_SUFFIX')}"))


def python(root, *arguments, **environment):
    """Return the output of a fresh Python that imports this checkout; its plugin, or the installed one if it is not
    built in place."""
    paths = os.pathsep.join(map(str, [root, root / "minigluon_accel"] if has_plugin(root) else [root]))
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=root,
                          env={**os.environ, "PYTHONPATH": paths, "MINIGLUON_GPU": "off", **environment})
    if done.returncode:
        sys.exit(f"{root}: python {' '.join(arguments)} fails:\n{done.stderr}")
    return done.stdout


def inside_rows(found):
    """Yield (what, figure) from the output of `house_inside`."""
    for what in ("Op", "Backend"):
        for kind, names in found[what].items():
            yield f"names that {what} offers: {kind}", len(names)
    for kernels, table in found["families"].items():
        yield f"operators with their kernel in their family's module, {kernels}", (
            f"{table['same']} of {table['same'] + len(table['other'])}" if table else "no such table")
    for walk, figures in found["calls"].items():
        yield f"calls, {walk}", "; ".join(f"{backend} {python} ({c})" for backend, (python, c) in figures.items())


def measure(root, with_import):
    """Return (rows: {what: figure}, {heading: lines} for --list)."""
    paths = tracked(root)
    reads, pairs = foreign_reads(root, paths), duplicates(root, paths)
    found = json.loads(python(root, str(HERE / "house_inside.py")))
    if not has_plugin(root):
        instead = found["plugin"] or "none is installed, so there are no such rows"
        print(f"{root}: the plugin is not built in place. Rows about compiled kernels: {instead}. To build it: "
              f"python setup.py build_ext --inplace, in {root / 'minigluon_accel'}", file=sys.stderr)
    rows = dict(file_rows(root, paths)) | dict(inside_rows(found))
    rows["foreign private names"] = sum(map(len, reads.values()))
    rows["foreign private names of other files"] = sum(not own for lines in reads.values() for _, _, own in lines)
    rows["duplicated pairs of six lines"] = len(pairs)
    if with_import:
        times = [float(python(root, "-c", TIME_OF_IMPORT)) for _ in range(IMPORTS)]
        rows["import minigluon after NumPy, processor time"] = (
            f"{statistics.median(times) * 1000:.0f} ms (least {min(times) * 1000:.0f})")
    lists = {f"names that {what} offers: {kind}": [" ".join(names)] for what in ("Op", "Backend")
             for kind, names in found[what].items()}
    for kernels, table in found["families"].items():
        lists[f"kernels outside their family's module, {kernels}"] = table["other"] if table else []
    lists["foreign private names"] = [
        f"{len(lines):4} {path}: " + " ".join(f"{name}:{line}" for line, name, _ in lines)
        for path, lines in sorted(reads.items(), key=lambda item: -len(item[1]))]
    lists["duplicated pairs"] = [f"{a}:{m}  {b}:{n}" for a, m, b, n in pairs]
    return rows, lists


def table(columns, markdown):
    """Return the lines of a table. columns: {name: {what: figure}}."""
    head = ["", *columns]
    body = [[what, *[str(rows.get(what, "-")) for rows in columns.values()]]
            for what in dict.fromkeys(what for rows in columns.values() for what in rows)]
    if markdown:
        return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *body)]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (head, *body)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", nargs="+", type=Path, default=[HERE.parent], metavar="CHECKOUT",
                        help="with the plugin built in place; otherwise the installed one is counted")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--list", action="store_true", help="also print the counted items")
    parser.add_argument("--without-import", action="store_true", help="leave out the import time")
    chosen = parser.parse_args()
    measured = {root.resolve().name: measure(root.resolve(), not chosen.without_import) for root in chosen.root}
    print("\n".join(table({name: rows for name, (rows, _) in measured.items()}, chosen.markdown)))
    for name, (_, lists) in measured.items() if chosen.list else ():
        for heading, lines in lists.items():
            print(f"\n{name}: {heading}", *lines, sep="\n  ")


if __name__ == "__main__":
    main()

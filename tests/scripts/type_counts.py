"""What type checkers say of ten programs that use minigluon, and of its public names. A table, one row a program.

    python tests/scripts/type_counts.py                   the table
    python tests/scripts/type_counts.py --show            and every message
    python tests/scripts/type_counts.py --all             of all programs of tests/programs

The programs are functions of the library, `run(mx, show)`. Checkers see them as people write them: a copy of each, in
which `mx` is imported. Columns: errors of pyright in basic mode; of strict mode those that are about types (for it, the
program's own parameters are Any, so that what is unknown is the library's); errors of mypy, which looks into functions
without annotations, too. The last line is `pyright --verifytypes`: the share of public names with known types.
"""

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "programs"
TEN = ["linear_regression_gluon", "lenet", "convolutional_blocks", "losses_and_metrics", "rnn_gluon", "module_lenet",
       "custom_operators", "autograd_basics", "data_pipeline", "learning_rates"]

# What strict mode says of what a program calls. The rest is about the program's own habits.
ABOUT_TYPES = {"reportAttributeAccessIssue", "reportArgumentType", "reportCallIssue", "reportIndexIssue",
               "reportOptionalMemberAccess", "reportOptionalOperand", "reportOptionalSubscript", "reportOperatorIssue",
               "reportPrivateImportUsage", "reportUnknownArgumentType", "reportUnknownMemberType",
               "reportUnknownVariableType", "reportUntypedBaseClass", "reportUntypedClassDecorator",
               "reportUntypedFunctionDecorator", "reportGeneralTypeIssues", "reportAssignmentType"}


def as_people_write(text):
    """The program with `mx` imported, in place of a parameter that every function passes on."""
    text = re.sub(r"\((self, )?mx, ", lambda m: f"({m[1] or ''}", text)
    text = re.sub(r"\((self)?(?:, )?mx\)", lambda m: f"({m[1] or ''})", text)
    text = re.sub(r", mx(?=[,)])", "", text)
    text = re.sub(r"^( +)([a-z_]+(?:, [a-z_]+)*) = ((?:mx(?:\.[a-z_]+)+(?:, )?)+)$", _imports, text, flags=re.MULTILINE)
    before, marker, after = text.partition("\nfrom ._tools ")
    if not marker:
        head = re.match(r'""".*?"""\n', text, re.DOTALL)
        return f"{text[:head.end()]}\nimport minigluon as mx\n{text[head.end():]}" if head else text
    return f"{before}\nimport minigluon as mx\n\nfrom ._tools {after}"


def _imports(line):
    """`gluon, nn = mx.gluon, mx.gluon.nn` as imports."""
    indent, names, values = line.groups()
    pairs = zip(names.split(", "), values.split(", "), strict=True)
    return indent + "; ".join(f"from {module.replace('mx', 'minigluon')} import {found} as {name}"
                              for name, (module, _, found) in ((n, value.rpartition(".")) for n, value in pairs))


def with_parameters(text):
    """The program with parameters that are Any."""
    lines = text.splitlines()
    parameters = [arg for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)
                  for arg in [*node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
                  if arg is not None and arg.arg not in ("self", "cls")]
    for arg in sorted(parameters, key=lambda arg: (arg.lineno, arg.col_offset), reverse=True):
        line = lines[arg.lineno - 1]
        lines[arg.lineno - 1] = f"{line[:arg.end_col_offset]}: Any{line[arg.end_col_offset:]}"
    first = next(number for number, line in enumerate(lines) if line.startswith(("import ", "from ")))
    return "\n".join([*lines[:first], "from typing import Any", *lines[first:], ""])


def write_programs(names, folder):
    """Two packages, `people` and `annotated`."""
    for package in ("people", "annotated"):
        Path(folder, package).mkdir()
        Path(folder, package, "__init__.py").touch()
    for name in ["_tools", *names]:
        text = as_people_write((PROGRAMS / f"{name}.py").read_text(encoding="utf-8"))
        Path(folder, "people", f"{name}.py").write_text(text)
        Path(folder, "annotated", f"{name}.py").write_text(with_parameters(text))


def install(folder):
    """An environment with this minigluon and NumPy: of what is installed, pyright asks more than of one's own files."""
    packages = Path(folder, "environment", "lib", "python3.11", "site-packages")
    packages.mkdir(parents=True)
    for source in ROOT / "minigluon", Path(np.__file__).parent:
        (packages / source.name).symlink_to(source)


def pyright(folder, mode):
    """{program: [message]} of a mode, 'basic' or 'strict'."""
    settings = {"typeCheckingMode": mode, "pythonVersion": "3.10", "venvPath": ".",
                "venv": "environment", "include": ["people" if mode == "basic" else "annotated"]}
    (Path(folder) / "pyrightconfig.json").write_text(json.dumps(settings))
    said = subprocess.run(["pyright", "--outputjson"], cwd=folder, capture_output=True, text=True, check=False)
    found = {}
    for message in json.loads(said.stdout)["generalDiagnostics"]:
        rule = message.get("rule", "syntax")
        if message["severity"] == "error" and (mode == "basic" or rule in ABOUT_TYPES):
            line = message["range"]["start"]["line"] + 1
            found.setdefault(Path(message["file"]).stem, []).append(f"{line}: {message['message']} [{rule}]")
    return found


def mypy(folder):
    """{program: [message]}."""
    said = subprocess.run(
        [sys.executable, "-m", "mypy", "--check-untyped-defs", "--python-version", f"3.{max(10, sys.version_info[1])}",
         "--cache-dir", "mypy", "--follow-imports=silent", "--ignore-missing-imports", "people"],
        cwd=folder, capture_output=True, text=True, check=False, env={"MYPYPATH": str(ROOT), "PATH": "/usr/bin:/bin"})
    if not said.stdout:
        raise SystemExit(said.stderr)
    found = {}
    for path, line, text in re.findall(r"^people/(\w+)\.py:(\d+): error: (.*)$", said.stdout, re.MULTILINE):
        found.setdefault(path, []).append(f"{line}: {text}")
    return found


def count_public_names():
    """Start counting; `counted` waits for the result."""
    return subprocess.Popen(
        ["pyright", "--verifytypes", "minigluon", "--ignoreexternal", "--outputjson"], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)})      # also where it is not installed


def counted(process):
    """(public names whose types are known in full, all public names)."""
    said, _ = process.communicate()
    counts = json.loads(said)["typeCompleteness"]["exportedSymbolCounts"]
    return counts["withKnownType"], sum(counts.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="all programs")
    parser.add_argument("--show", action="store_true", help="every message")
    args = parser.parse_args()
    if not shutil.which("pyright"):
        sys.exit("pyright is not installed: pip install 'pyright[nodejs]' mypy")
    names = sorted(path.stem for path in PROGRAMS.glob("[!_]*.py")) if args.all else TEN
    with tempfile.TemporaryDirectory() as folder:
        write_programs(names, folder)
        install(folder)
        columns = {"basic": pyright(folder, "basic"), "strict": pyright(folder, "strict"), "mypy": mypy(folder)}
    print("| program | " + " | ".join(columns) + " |\n|---|" + "---:|" * len(columns))
    for name in names:
        print(f"| {name} | " + " | ".join(str(len(found.get(name, []))) for found in columns.values()) + " |")
    sums = [sum(len(found.get(name, [])) for name in names) for found in columns.values()]
    print("| sum | " + " | ".join(map(str, sums)) + " |")
    if args.show:
        for title, found in columns.items():
            for name in names:
                for message in found.get(name, []):
                    print(f"{title}: {name}:{message}")
    known, count = counted(count_public_names())
    print(f"\npublic names with known types: {known} of {count}, {known / count:.1%}")


if __name__ == "__main__":
    main()

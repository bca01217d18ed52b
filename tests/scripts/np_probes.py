"""Run programs for MXNet's `mx.np`, and compare what they print with what the real MXNet 1.9.1 printed.

    python tests/scripts/np_probes.py PROBES.md [-v] [NUMBER ...]

The page has sections `## 7. title`, each with a block of Python and a block with the printed text. In the programs,
`show("expression", names)` prints a value with its type and shape, or the error, and `try_(function)` its result.
Numbers are compared to five digits, and errors only by being errors. -v prints the lines that differ.
"""

import ast
import contextlib
import difflib
import importlib
import io
import os
import re
import sys
import tempfile
import warnings

SECTION = re.compile(r"^## (\d+)\. (.*?)\n\n```python\n(.*?)```\n```\n(.*?)```", re.DOTALL | re.MULTILINE)
ERROR = re.compile(r"\w*Error\b|NotImplementedFor\w+")
NUMBER = re.compile(r"-?\d+\.\d*(e[-+]\d+)?")
names = {}


def shown(value):
    if isinstance(value, list) and any(type(x).__name__ == "ndarray" for x in value):
        return f"list[{', '.join(map(shown, value))}]"
    if type(value) is tuple and any(hasattr(x, "asnumpy") for x in value):
        return f"tuple[{', '.join(map(shown, value))}]"
    text = " ".join(repr(value).split())
    is_array = type(value).__name__ == "ndarray" and hasattr(value, "asnumpy")
    return f"{text}  ({value.dtype} {value.shape})" if is_array else text


def first_line(error):
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def show(expression, local):
    try:
        print(f"{expression}  ->  {shown(eval(expression, {**names, **local}))}")
    except Exception as error:              # a program may raise anything, and the probe shows it
        print(f"{expression}  ->  {first_line(error)}")


def try_(function):
    try:
        print(shown(function()))
    except Exception as error:
        print(first_line(error))


def printed_by(code):
    """Each statement runs by itself: if one fails, its error is printed; a failing print, argument by argument."""
    importlib.import_module("minigluon.as_mxnet")
    mx, numpy = importlib.import_module("mxnet"), importlib.import_module("numpy")
    autograd, gluon, nd, np, npx = (getattr(mx, name) for name in ("autograd", "gluon", "nd", "np", "npx"))
    npx.set_np()
    names.clear()
    names.update(mx=mx, onp=numpy, np=np, npx=npx, nd=nd, autograd=autograd, gluon=gluon, nn=gluon.nn, os=os, show=show,
                 try_=try_, clean=lambda text: text.partition("\n")[0], tmp=tempfile.mkdtemp(), __name__="probe")
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        for statement in ast.parse(code).body:
            _run(code, statement)
    npx.reset_np()
    return output.getvalue()


def _run(code, statement):
    try:
        exec(compile(ast.Module([statement], []), "probe", "exec"), names)
        return
    except Exception as error:
        failed = error
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and \
            getattr(statement.value.func, "id", "") == "print":
        for argument in statement.value.args:
            print("   ", end="")
            show(ast.get_source_segment(code, argument), {})
    else:
        print(f"{ast.get_source_segment(code, statement)}  ->  {first_line(failed)}")


def normalized(line):
    line = " ".join(line.split()).replace("minigluon", "mxnet")
    line = re.sub(r"\s+(?=[\]),])|(?<=[\[(])\s+", "", line)
    line = re.sub(r" at 0x\w+|np\.(?:float|int)\d+(?=\()", "", line)
    line = NUMBER.sub(lambda match: f"{float(match[0]):.5g}", line)
    return "an error" if ERROR.search(line.rpartition("->")[2]) else line


def differences(expected, found):
    """Return pairs of lines that differ, (what MXNet printed, what is printed here)."""
    left, right = ([normalized(line) for line in text.splitlines() if line.strip()] for text in (expected, found))
    pairs = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, left, right, False).get_opcodes():
        if tag != "equal":
            size = max(j - i, m - k)
            pairs += zip([*left[i:j], *[""] * size][:size], [*right[k:m], *[""] * size][:size], strict=True)
    return pairs


def main(page, *options):
    warnings.simplefilter("ignore")
    wanted, equal, count = {text for text in options if text.isdigit()}, 0, 0
    with open(page, encoding="utf-8") as file:
        sections = SECTION.findall(file.read())
    for number, title, code, expected in sections:
        if wanted and number not in wanted:
            continue
        pairs = differences(expected, printed_by(code))
        equal, count = equal + (not pairs), count + 1
        print(f"{number:>3} {'equal' if not pairs else f'{len(pairs)} lines differ'}: {title}")
        if "-v" in options:
            for theirs, ours in pairs:
                print(f"      MXNet: {theirs[:200]}\n      here:  {ours[:200]}")
    print(f"{equal} of {count} are equal")


if __name__ == "__main__":
    main(*sys.argv[1:])

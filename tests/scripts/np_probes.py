"""Run programs for MXNet's `mx.np`, and compare what they print with what the real MXNet 1.9.1 printed.

    python tests/scripts/np_probes.py PROBES.md [-v] [NUMBER ...]

The page has sections `## 7. title`, each with a block of Python and a block with the printed text. In the programs,
`show("expression", names)` prints a value with its type and shape, or the error, and `try_(function)` its result.
Numbers are compared to five digits, and errors only by being errors. A difference that docs/np.md explains has a rule
in ROWS; the others are counted. -v prints the lines that differ, with the row.
"""

import ast
import contextlib
import difflib
import importlib
import io
import itertools
import os
import re
import sys
import tempfile
import warnings

SECTION = re.compile(r"^## (\d+)\. (.*?)\n\n```python\n(.*?)```\n```\n(.*?)```", re.DOTALL | re.MULTILINE)
ERROR = re.compile(r"\w*Error\b|NotImplementedFor\w+")
NUMBER = re.compile(r"-?\d+\.\d*(e[-+]\d+)?")
names = {}
# Differences that stay: (row of the table in docs/np.md, pattern of MXNet's line, pattern of ours)
ROWS = [(row, re.compile(theirs), re.compile(ours)) for row, theirs, ours in [
    ("runs here", r"^(an error|\('accuracy', nan\)|False|.*no asarray)?$", r"^(?!an error$)"),
    ("signatures", r"^\(.*\) \(\)$", r"-> None"),
    ("no axes", r"^\[\]$", r"^an error$"),
    ("numpy.asarray", r"onp\.(as)?array|dtype=object|asarray", r"dtype=float32|dtype\('float32'\)|asarray.* shares"),
    ("one device", r"as_in_context\(mx\.cpu\(\)\) is a -> False", "True"),
    ("handle", r"handle", r"^an error$"),
    ("numpy's functions", r"type\(onp\.median", r"numpy\.ndarray"),
    ("states", r"begin_state.*NDArray", r"ndarray"),
    ("parameters", r"^NDArray( \(2, 3\))?$", r"^ndarray"),
    ("names", r"mxnet\.(ndarray|symbol)\.numpy|np_ufunc_legal_option|_scalar0|reshape\d|_Symbol",
     r"numpy|np_array|Symbol"),
    ("seeds", r"^(True|False|\[.*\])$", r"^(True|False|\[.*\])$"),
    ("integers", r"linalg\.norm\(a\) -> array\(4", r"array\(5"),
    ("empty", r"np\.mean\(np\.ones\(0\)\) -> array\(0", "nan"),
    ("set_data", r"^\[\[0 0\]\] ndarray$", r"^\[\[1 1\]\] ndarray$"),
]]


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


def printed_by(code, expected):
    """Each statement runs by itself: if one fails, its error is printed; a failing print, argument by argument.

    A print that failed in MXNet is also shown argument by argument.
    """
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
            _run(code, statement, expected)
    npx.reset_np()
    return output.getvalue()


def _run(code, statement, expected):
    prints = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and \
        getattr(statement.value.func, "id", "") == "print"
    first = ast.get_source_segment(code, statement.value.args[0]) if prints and statement.value.args else None
    if first is None or f"   {first}  ->" not in expected:
        try:
            exec(compile(ast.Module([statement], []), "probe", "exec"), names)
            return
        except Exception as error:
            failed = error
    if prints:
        for argument in statement.value.args:
            print("   ", end="")
            show(ast.get_source_segment(code, argument), {})
    else:
        print(f"{ast.get_source_segment(code, statement)}  ->  {first_line(failed)}")


def normalized(line):
    """Return (the expression or None, what it prints)."""
    expression, arrow, value = re.sub(r"(?<=\d)\.0?(?=\))", ".0", line).partition("  ->  ")
    return " ".join(expression.split()) if arrow else None, _value(value if arrow else line)


def _value(text):
    text = " ".join(text.split()).replace("minigluon", "mxnet")
    text = re.sub(r"\s+(?=[\]),])|(?<=[\[(])\s+", "", text)
    text = text.replace("numpy.bool_'", "numpy.bool'")
    text = re.sub(r" at 0x\w+|np\.(?:float|int)\d+(?=\()", "", text)
    text = NUMBER.sub(lambda match: f"{float(match[0]):.5g}", text)
    return "an error" if ERROR.search(text) else text


def differences(expected, found):
    """Return pairs of texts that differ, (what MXNet printed, what is printed here, the row that explains it)."""
    left, right = ([normalized(line) for line in text.splitlines() if line.strip()] for text in (expected, found))
    pairs = []
    for expression in dict.fromkeys(key for key, _ in (*left, *right) if key is not None):
        ours, theirs = ([value for key, value in lines if key == expression] for lines in (right, left))
        pairs += [(expression, first, second) for first, second in itertools.zip_longest(theirs, ours, fillvalue="")
                  if first != second]
    left, right = ([value for key, value in lines if key is None] for lines in (left, right))
    for tag, i, j, k, m in difflib.SequenceMatcher(None, left, right, False).get_opcodes():
        if tag != "equal":
            pairs += [(None, *pair) for pair in itertools.zip_longest(left[i:j], right[k:m], fillvalue="")]
    return [(key, theirs, ours, _row(key, theirs, ours)) for key, theirs, ours in pairs]


def _row(expression, theirs, ours):
    for row, pattern, other in ROWS:
        whole = theirs if expression is None else f"{expression} -> {theirs}"
        if (pattern.search(whole) or pattern.search(theirs)) and other.search(ours):
            return row
    return None


def main(page, *options):
    warnings.simplefilter("ignore")
    wanted, equal, explained, count = {text for text in options if text.isdigit()}, 0, 0, 0
    with open(page, encoding="utf-8") as file:
        sections = SECTION.findall(file.read())
    for number, title, code, expected in sections:
        if wanted and number not in wanted:
            continue
        pairs = differences(expected, printed_by(code, expected))
        open_ones = [pair for pair in pairs if pair[3] is None]
        equal, explained, count = equal + (not pairs), explained + bool(pairs and not open_ones), count + 1
        rows = ", ".join(sorted({row or "not explained" for *_, row in pairs}))
        print(f"{number:>3} {'equal' if not pairs else f'{len(pairs)} lines differ ({rows})'}: {title}")
        for expression, theirs, ours, row in pairs if "-v" in options else open_ones:
            print(f"      {row or 'NOT EXPLAINED'}: {expression or ''}\n        MXNet: {theirs[:160]}\n"
                  f"        here:  {ours[:160]}")
    print(f"{equal} of {count} are equal, {explained} differ as docs/np.md explains, {count - equal - explained} "
          "differ otherwise")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""array-api-tests, the public suite of the array API standard, with `mx.np` as the module, against version 2021.12.

    python tests/libraries/array_api_suite.py FOLDER --python /tmp/array-api/bin/python

FOLDER is the repository data-apis/array-api-tests, in which data-apis/array-api is unpacked as `array-api`. The suite
asks for the names of complex types when it is imported; here they have NumPy's, and no test draws them. The
counts are followed by the reasons of the failures, each with its number.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from runner import ROOT, THREADS
from suites import OPTIONS

MODULE = ("exec('import minigluon, numpy; minigluon.npx.set_np(); from minigluon import numpy as xp; "
          "xp.complex64, xp.complex128 = numpy.complex64, numpy.complex128')")
WITHOUT = ["test_inspection_functions.py", "test_signatures.py"]     # of later versions; of names and of keywords
# Patterns in the test's name and the failure's text -> the reason; the first that fits is counted.
REASONS = {
    r"complex|conj is not defined|from \[1j": "no complex types, as in MXNet",
    r"floordiv|floor_divide": "`//` of infinities and of -0: NumPy's results",
    r"(mod__|remainder|imod).*(should be NaN|is NaN)": "`x % 0` is 0, as in MXNet; NaN in NumPy",
    r"DID NOT RAISE.*zerodim|zerodim.*DID NOT RAISE": "`nonzero` of a number, which MXNet computes",
    r"asarray\(False|full\(\(\), False|sum\(int32\)|dtype=float32, should be|but should be float32": (
        "float32 for Python's numbers and booleans, as in MXNet; sums have the type of the elements"),
    r"namedtuple": "results of decompositions are tuples without names",
    r"unexpected keyword argument": "keywords that MXNet's functions do not have (`correction`, `rtol`)",
    r"finfo": "numbers of NumPy's `finfo` are NumPy's, in NumPy as well",
    r"is missing the|is not defined in|has no function": "names that NumPy 1 and MXNet lack, such as `unique_all`",
    r"__array_namespace": "`__array_namespace__` and its information: `mx.np` keeps MXNet's types of results"}


def reason_of(name, text, message, module):
    for pattern, reason in REASONS.items():
        if re.search(pattern, name + " " + text, re.DOTALL):
            return reason, name
    return f"others, in {module}", re.sub(r"[-+]?\d[\d.e+-]*|0x[0-9a-f]+", "#", message.partition("\n")[0])[:90]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="the repository array-api-tests")
    parser.add_argument("--python", metavar="PATH", default=sys.executable)
    parser.add_argument("--examples", type=int, default=5, help="how many Hypothesis draws for each test")
    parser.add_argument("-k", metavar="WORD", default="", help="only tests that have this word in their names")
    args = parser.parse_args()
    path = os.pathsep.join(map(str, [ROOT, ROOT / "minigluon_accel", Path(__file__).parent]))
    with tempfile.TemporaryDirectory() as made:
        report = Path(made) / "report.xml"
        subprocess.run(
            [args.python, "-m", "pytest", *OPTIONS, "-p", "array_api_without_shrinking", f"--junitxml={report}",
             f"--max-examples={args.examples}", "--disable-deadline", "--derandomize",
             *(["-k", args.k] if args.k else []), *[f"--ignore=array_api_tests/{name}" for name in WITHOUT],
             "array_api_tests"],
            cwd=args.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**THREADS, **os.environ, "PYTHONPATH": path, "ARRAY_API_TESTS_VERSION": "2021.12",
                 "ARRAY_API_TESTS_MODULE": MODULE})
        cases = list(ElementTree.parse(report).iter("testcase"))
    show(cases)


def show(cases):
    counts, reasons, details = Counter(), Counter(), {}
    for case in cases:
        failure = case.find("failure") if case.find("failure") is not None else case.find("error")
        counts["failed" if failure is not None else "skipped" if case.find("skipped") is not None else "passed"] += 1
        if failure is not None:
            reason, detail = reason_of(case.get("name"), failure.get("message", ""), failure.get("message", ""),
                                       case.get("classname", "").rpartition(".")[2])
            reasons[reason] += 1
            details.setdefault(reason, Counter())[detail] += 1
    print(f"{len(cases)} tests: " + ", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
        for detail, number in details[reason].most_common(40):
            print(f"        {number:4} {detail}")


if __name__ == "__main__":
    main()

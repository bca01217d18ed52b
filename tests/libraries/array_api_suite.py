"""array-api-tests, the public suite of the array API standard, with `mx.np` as the module, against version 2021.12.

    python tests/libraries/array_api_suite.py FOLDER --python /tmp/array-api/bin/python

FOLDER is the repository data-apis/array-api-tests, in which data-apis/array-api is unpacked as `array-api`. The suite
asks for the names of complex types when it is imported; here they have NumPy's, and version 2021.12 draws none. The
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
# What a failure's text has -> the reason that is counted, with what the text names
REASONS = {r"mx\.np has no attribute '(\w+)'|False = hasattr\((?:xp|<module [^>]*>), '(\w+)'\)": (
               "names that are not in mx.np"),
           r"False = hasattr\(array.*?, '(\w+)'\)|'ndarray' object has no attribute '(\w+)'": (
               "methods that arrays lack"),
           r"DTypeError: unknown dtype <class 'numpy\.(\w+)'>": "types that arrays do not have",
           r"should be (\w+), but should be|dtype='?(\w+).{0,40}but should be": "another type of the result"}


def reason_of(text, message, module):
    for pattern, reason in REASONS.items():
        if found := re.search(pattern, text):
            return reason, next(group for group in found.groups() if group)
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
            reason, detail = reason_of((failure.text or "") + failure.get("message", ""), failure.get("message", ""),
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

"""Check in pytest's report that the tests of the GPU backend ran: none of their files was skipped as a whole."""

import pathlib
import sys
from xml.etree import ElementTree

TESTS = pathlib.Path(__file__).parent.parent / "tests"


def main(report):
    passed, skipped = {}, {}
    for case in ElementTree.parse(report).iter("testcase"):
        # The class name of a test begins with its file; a file that is skipped as a whole has that name itself.
        module = (case.get("classname") or case.get("name")).removeprefix("tests.").split(".")[0]
        counts = skipped if case.find("skipped") is not None else passed
        counts[module] = counts.get(module, 0) + 1
    wanted = sorted(path.stem for path in TESTS.glob("test_gpu_*.py"))
    without = [module for module in wanted if module not in passed]
    if without or not wanted:
        sys.exit(f"no test of the GPU backend ran in {', '.join(without) or 'tests/test_gpu_*.py'}")
    print(f"GPU: {sum(passed[module] for module in wanted)} tests in {len(wanted)} files ran, "
          f"{sum(skipped.get(module, 0) for module in wanted)} were skipped")


if __name__ == "__main__":
    main(sys.argv[1])

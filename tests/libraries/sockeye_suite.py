"""sockeye 2.3.24 and 1.18.115: their unit tests, and with `--integration` those that train, translate and score.

Left out: the tests of sockeye 1 that write captions for images.
"""

import sys

from suites import run_suite

if __name__ == "__main__":
    whole = "--integration" in sys.argv
    sys.argv = [word for word in sys.argv if word != "--integration"]
    tests = "test/integration" if whole else "test/unit"
    sys.exit(run_suite([tests], options=[f"--ignore={tests}/image_captioning"]))

"""A front of the campaign with known trouble: what the tests of its driver look for."""

import os
import random
import time

SECONDS = 0.05
IN_CI = 1


def case(seed):
    """Numbers; 13 among them is a wrong result, 14 an exception, 15 kills the process, 16 takes too long."""
    draw = random.Random(seed)
    return {"seed": seed, "numbers": [draw.randrange(12) for _ in range(draw.randrange(1, 8))] + [seed]}


def run(case):
    """The trouble that the numbers name."""
    if 13 in case["numbers"]:
        return "13 is not what was promised"
    if 14 in case["numbers"]:
        raise ValueError("14")
    if 15 in case["numbers"]:
        print("fifteen", flush=True)
        os._exit(7)
    if 16 in case["numbers"]:
        _work(0.08)
    return None


def _work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def smaller(case):
    """One number less."""
    numbers = case["numbers"]
    for place in range(len(numbers)):
        yield {**case, "numbers": numbers[:place] + numbers[place + 1:]}

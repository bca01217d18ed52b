"""The same programs under pytest-benchmark, for following one library over time.

    pytest benchmarks/bench_engine.py --benchmark-columns=median,iqr,rounds
"""

import programs_gluon
import programs_numpy
import pytest

import minigluon as mx

GLUON = programs_gluon.makers(mx)
NUMPY = programs_numpy.makers()


@pytest.mark.parametrize("program", GLUON)
def test_minigluon(benchmark, program):
    benchmark.group = program
    run = GLUON[program]()
    run()                       # the first run makes parameters and kernels
    benchmark(run)


@pytest.mark.parametrize("program", NUMPY)
def test_numpy(benchmark, program):
    benchmark.group = program
    benchmark(NUMPY[program]())

"""The same programs under pytest-benchmark, for following one library over time.

    pytest benchmarks/bench_engine.py --benchmark-columns=median,iqr,rounds
"""

import programs_gluon
import programs_numpy
import pytest

import minigluon as mx

GLUON = programs_gluon.make(mx)
NUMPY = programs_numpy.make()


@pytest.mark.parametrize("program", GLUON)
def test_minigluon(benchmark, program):
    benchmark.group = program
    GLUON[program]()            # the first run makes parameters and kernels
    benchmark(GLUON[program])


@pytest.mark.parametrize("program", NUMPY)
def test_numpy(benchmark, program):
    benchmark.group = program
    benchmark(NUMPY[program])

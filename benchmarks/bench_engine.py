"""The programs of `minigluon bench` under pytest-benchmark, imperative and hybridized, to follow one library over time.

    pytest benchmarks/bench_engine.py --benchmark-columns=median,iqr,rounds
"""

import pytest

import minigluon as mx
from minigluon.tools.bench.nets import PROGRAMS, SIZES
from minigluon.tools.bench.workers import programs_gluon, programs_numpy

GLUON = programs_gluon.makers(mx, SIZES)
NUMPY = programs_numpy.makers(SIZES)


@pytest.mark.parametrize("mode", programs_gluon.MODES["minigluon"])
@pytest.mark.parametrize("program", [program for programs in PROGRAMS.values() for program in programs])
def test_minigluon(benchmark, program, mode):
    benchmark.group = program
    run = GLUON[program](mode).run
    run()                       # creates kernels, or traces and plans
    benchmark(run)


@pytest.mark.parametrize("program", NUMPY)
def test_numpy(benchmark, program):
    benchmark.group = program
    benchmark(NUMPY[program]("raw"))

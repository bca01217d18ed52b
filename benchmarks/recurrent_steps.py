"""Time a recurrent net letter by letter: one step of one sequence per call, imperative and hybridized.

    python benchmarks/recurrent_steps.py [--units 650] [--layers 2] [--rounds 15]

Prints Markdown. A hybridized net keeps its packed weights between calls; an imperative call packs them again.
"""

import argparse
import datetime
import statistics
import time

import minigluon as mx
from minigluon.common import hardware as machine
from minigluon.tools.bench.report import median_ratio
from minigluon.tools.bench.table import time_text

KINDS = {"lstm": mx.gluon.rnn.LSTM, "gru": mx.gluon.rnn.GRU}
CALLS = 20              # per round


def seconds(net, x, states):
    """Return the seconds of one of several calls, each of which continues with the states of the previous one."""
    begin = time.perf_counter()
    for _ in range(CALLS):
        y, states = net(x, states)
    y.wait_to_read()
    return (time.perf_counter() - begin) / CALLS


def measured(kind, units, layers, rounds):
    """Return {mode: seconds of each round}, measured in turns."""
    net = KINDS[kind](units, layers, input_size=units)
    net.initialize()
    x, states, times = mx.nd.ones((1, 1, units)), net.begin_state(1), {"imperative": [], "hybridized": []}
    for _ in range(rounds + 1):
        for mode in times:
            net.hybridize(mode == "hybridized")
            seconds(net, x, states)             # hybridize compiles again
            times[mode].append(seconds(net, x, states))
    return {mode: each[1:] for mode, each in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=650)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores; {options.layers} layers of "
          f"{options.units} units; medians of {options.rounds} rounds\n")
    print("| net | imperative | hybridized | hybridized / imperative |\n|---|---|---|---|")
    for kind in KINDS:
        times = measured(kind, options.units, options.layers, options.rounds)
        print(f"| {kind} | {' | '.join(time_text(statistics.median(each)) for each in times.values())} "
              f"| {median_ratio(times['hybridized'], times['imperative']):.2f} |", flush=True)


if __name__ == "__main__":
    main()

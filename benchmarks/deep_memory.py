"""Peak memory of a train step of the deep net, for some widths and numbers of rows, as Markdown.

    python benchmarks/deep_memory.py
"""

import minigluon as mx
from minigluon.tools.bench.nets import SIZES
from minigluon.tools.bench.table import bytes_text
from minigluon.tools.bench.workers import probes, programs_gluon


def main():
    print("| units in a layer | rows | imperative | hybridized | recompute | ratios |\n|---|---|---|---|---|---|")
    for width, rows in ((71, 20), (71, 64), (71, 128), (256, 64)):
        step = programs_gluon.makers(mx, {**SIZES, "deep_batch": rows, "deep_width": width})["deep mlp train step"]
        peaks = [probes.peak_memory(lambda mode=mode, step=step: step(mode).run)[0]
                 for mode in ("imperative", "hybridized", "recompute")]
        ratios = " and ".join(f"{peak / peaks[0]:.2f}" for peak in peaks[1:])
        print(f"| {width} | {rows} | {' | '.join(map(bytes_text, peaks))} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()

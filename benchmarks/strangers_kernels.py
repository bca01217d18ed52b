"""In which kinds of kernels the nets of `strangers.py` lose time: the table of `strangers.py --kernels`."""

import math
from collections import defaultdict

import kernel_limits
import strangers_nets

import minigluon as mx
from minigluon.common import hardware
from minigluon.tools.bench.table import time_text

ROUNDS = 7
FEW_PIXELS = 400        # 20 x 20
FIRST_CHANNELS = 4


class Program:
    """A net as `kernel_limits.works_of` wants it."""

    def __init__(self, name, batch):
        net, images = strangers_nets.built(name, batch)
        self.blocks, self.run = [net], lambda: net(images)


def kind_of(work):
    """Returns the kind of a kernel, a class of shapes, as text."""
    op = work.op
    if work.name not in ("_packed_conv", "_blocked_conv"):
        return {"_to_blocks": "change of layout", "_from_blocks": "change of layout"}.get(work.name, work.name)
    conv, weight = op.program[0][0], work.shapes[1]
    geometry, pixels = conv.geometry(), math.prod(work.result[2:4])
    kernel, stride = "x".join(map(str, geometry.kernel)), geometry.stride[0]
    step = f", stride {stride}" if stride > 1 else ""
    if op.way in ("channels", "channel blocks"):
        return f"depthwise {kernel}{step}"
    if geometry.groups > 1:
        return f"grouped {kernel}, {weight[0] // geometry.groups} filters per group"
    if weight[1] <= FIRST_CHANNELS:
        return f"first layer {kernel}{step}"
    if op.way == "winograd":
        return "Winograd"
    if set(geometry.kernel) == {1}:
        return f"1x1{step}, {'few' if pixels < FEW_PIXELS else 'many'} pixels, {work.name[1:]}"
    return f"{kernel}{step}{', dilated' if max(geometry.dilate) > 1 else ''}, {work.name[1:]}"


def works_of(name, batch, rates):
    """Returns the Works of a net's kernels."""
    works = list(kernel_limits.works_of(Program(name, batch), ROUNDS))
    for work in works:
        work.limit(*rates)
    return works


def print_kinds(nets, args):
    """Prints a table of kinds for each batch, the one that loses most time first, and then the slowest of each net."""
    rates = max(kernel_limits.product_rates().values()), kernel_limits.copy_rates()
    print(f"{hardware.processor()}, {hardware.cores()} cores, backend {mx.backend.backend_for(mx.cpu()).name}, large "
          f"products at {rates[0] / 1e9:.0f} GFLOP/s. Each net counts equally: {', '.join(nets)}")
    for batch in args.batches:
        of_net = {name: works_of(name, batch, rates) for name in nets}
        print(f"\n### Batch {batch}\n")
        print("| kind | kernels | share of the time | of the limit | lost time, share | most in |\n" + 6 * "|---" + "|")
        for line in kinds(of_net):
            print(line)
        for name, works in of_net.items():
            total, least = sum(w.seconds for w in works), sum(w.least for w in works)
            print(f"\n#### {name}: {len(works)} kernels, {time_text(total)}, {least / total:.0%} of the limits\n")
            print("| operator | inputs | time | part | rate | of the limit | why |\n|---|---|---|---|---|---|---|")
            for line in kernel_limits.rows_of(works, 12):
                print(line)


def kinds(of_net):
    """Yields the rows of the table of kinds."""
    time, lost, count, by_net = defaultdict(float), defaultdict(float), defaultdict(int), defaultdict(dict)
    for name, works in of_net.items():
        total = sum(work.seconds for work in works) * len(of_net)
        for work in works:
            kind = kind_of(work)
            time[kind] += work.seconds / total
            lost[kind] += max(work.seconds - work.least, 0) / total
            count[kind] += 1
            by_net[kind][name] = by_net[kind].get(name, 0) + work.seconds / total
    for kind in sorted(lost, key=lost.get, reverse=True):
        share = by_net[kind]
        yield (f"| {kind} | {count[kind]} | {time[kind]:.1%} | {1 - lost[kind] / time[kind]:.0%} | {lost[kind]:.1%} "
               f"| {max(share, key=share.get)} |")

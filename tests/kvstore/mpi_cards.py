"""What tests/gpu/test_gpu_nccl.py starts: `mpirun -n 2 python tests/kvstore/mpi_cards.py`, with an emulated GPU."""

import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("MINIGLUON_GPU", "emulate")
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from helpers.nccl_stand_in import NcclStandIn
from minigluon_accel.gpu import nccl
from mpi4py import MPI

import minigluon as mx
from minigluon import autograd, gluon, nd

store = mx.kv.create("dist_sync")
world = MPI.COMM_WORLD.Dup()


def trained(ctx, number):
    """Returns weight and bias after three steps."""
    net = gluon.nn.Dense(2, in_units=3, prefix=f"net{number}_")
    net.initialize(mx.init.One(), ctx=ctx)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, kvstore=store)
    x = nd.array(np.arange(12).reshape(4, 3) + store.rank, ctx=ctx) / 10
    for _ in range(3):
        with autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step_share(4)
    return [param.data().asnumpy() for param in net.collect_params().values()]


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    through_memory = trained(mx.gpu(), 1)
assert str(caught[0].message) == ("gradients of several processes are added up in the CPU's memory: NCCL needs a real "
                                  "GPU, and this one is emulated")
library = NcclStandIn(lambda total: world.Allreduce(MPI.IN_PLACE, total))
nccl.available, nccl.loaded = lambda: None, lambda: library.functions
for one, other, third in zip(trained(mx.gpu(), 2), through_memory, trained(mx.cpu(), 3), strict=True):
    np.testing.assert_allclose(one, other, rtol=1e-6)
    np.testing.assert_allclose(one, third, rtol=1e-5)
assert library.errors == []
sums = [call for call in library.calls if call[0] == "sum"]
groups = library.calls.count("end") - 1                         # the first one creates the communicator
sys.stdout.write(f"card {store.rank}: {groups} groups, {len(sums) // groups} arrays each\n")

"""A training job of `distributed.py` in PyTorch: one of its processes."""

import contextlib
import os

import distributed_worker
import torch
import zoo_torch
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

torch.set_num_threads(1)


def mlp():
    net = nn.Sequential(nn.Linear(784, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 256),
                        nn.ReLU(), nn.Linear(256, 10))
    return net, (64, 784), 10


def lenet():
    net = nn.Sequential(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.ReLU(),
                        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10))
    return net, (64, 1, 28, 28), 10


def resnet():
    return zoo_torch.NETS["resnet18_v1"](), (8, 3, 64, 64), 1000


NETS = {"mlp": mlp, "lenet": lenet, "resnet": resnet}


def job(options):
    """Return a function that takes one step."""
    net, shape, classes = NETS[options["net"]]()
    if options["ddp"]:
        torch.distributed.init_process_group("gloo", rank=options["rank"], world_size=int(os.environ["WORLD_SIZE"]))
        net = DistributedDataParallel(net)
        if options.get("float16"):
            net.register_comm_hook(None, default_hooks.fp16_compress_hook)
    torch.manual_seed(options["rank"])
    x, y = torch.randn(shape), torch.randint(classes, shape[:1])
    optimizer = torch.optim.SGD(net.parameters(), 0.001)
    loss_fn = nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad()
        loss_fn(net(x), y).backward()
        optimizer.step()
    return step


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        distributed_worker.serve(job)

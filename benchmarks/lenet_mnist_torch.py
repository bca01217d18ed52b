"""The program of lenet_mnist.py in PyTorch: a Dataset that transforms one image at a time, and a DataLoader.

    python benchmarks/lenet_mnist_torch.py FOLDER [--until 0.988] [--seed 2]

It needs only PyTorch, neither torchvision nor NumPy. Weights start as in Gluon, between -0.07 and 0.07, biases at 0.
"""

import gzip
import pathlib
import time

import torch
from lenet_mnist import arguments, run
from torch import nn


class Images(torch.utils.data.Dataset):
    """One part of MNIST's files, 'train' or 't10k'."""

    def __init__(self, folder, part):
        read = lambda kind, skip: torch.frombuffer(
            bytearray(gzip.decompress((pathlib.Path(folder) / f"{part}-{kind}-ubyte.gz").read_bytes())[skip:]),
            dtype=torch.uint8)
        self.data, self.labels = read("images-idx3", 16).reshape(-1, 28, 28, 1), read("labels-idx1", 8)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.data[index].to(torch.float32) / 255, self.labels[index].to(torch.long)


def lenet():
    net = nn.Sequential(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.ReLU(),
                        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 128), nn.ReLU(), nn.Linear(128, 10))
    for name, parameter in net.named_parameters():
        nn.init.uniform_(parameter, -0.07, 0.07) if name.endswith("weight") else nn.init.zeros_(parameter)
    return net


def train_epoch(net, batches, loss, optimizer):
    """Train an epoch. Returns the mean loss."""
    total = 0
    for data, label in batches:
        optimizer.zero_grad()
        error = loss(net(data.permute(0, 3, 1, 2)), label)
        error.backward()
        optimizer.step()
        total += error.item()
    return total / len(batches)


def evaluate(net, batches):
    with torch.no_grad():
        scores = [(net(data.permute(0, 3, 1, 2)).argmax(1) == label).float().mean().item() for data, label in batches]
    return sum(scores) / len(scores)


def program(args):
    """Return (name, sizes of the sets, function that trains an epoch, function that evaluates)."""
    torch.manual_seed(args.seed)
    sets = [Images(args.folder, part) for part in ("train", "t10k")]
    batches, test = (torch.utils.data.DataLoader(s, batch_size=64, shuffle=i == 0) for i, s in enumerate(sets))
    net, loss = lenet(), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    return (f"torch {torch.__version__}", list(map(len, sets)), lambda: train_epoch(net, batches, loss, optimizer),
            lambda: evaluate(net, test))


def main():
    begin = time.perf_counter()
    args = arguments(__doc__.splitlines()[0]).parse_args()
    run(args, begin, program, args)


if __name__ == "__main__":
    main()

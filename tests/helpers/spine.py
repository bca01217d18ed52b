"""Which files of the package five walks enter: what a reader must know to follow them.

The walks: a call with the tape, backward, `Trainer.step`, and a hybridized call, twice; on NumPy.
Run as a program it prints each file with its lines and the lines of the functions that were entered.
"""

import os
import sys
from pathlib import Path

__all__ = ["entered", "is_beside"]


def entered():
    """{path below the package: the code objects entered}, of the five walks, with the plain forms of what is fast."""
    import minigluon as mx
    from minigluon import gluon  # noqa: F401  (its fast forms must be there, to be taken away)
    from minigluon.common.fast_paths import plain_paths
    root = os.path.dirname(mx.__file__) + os.sep
    found = {}

    def note(frame, event, arg):
        code = frame.f_code
        if code.co_filename.startswith(root) and code.co_name != "<module>":
            found.setdefault(code.co_filename[len(root):].replace(os.sep, "/"), set()).add(code)

    before = sys.gettrace()
    with plain_paths():
        for walk in _walks(mx):
            sys.settrace(note)
            try:
                walk()
            finally:
                sys.settrace(before)
    return found


def _walks(mx):
    """Functions to be called one after the other; what lies between them is no part of a walk."""
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(8, activation="relu"), mx.gluon.nn.Dense(4))
    net.initialize()
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    x, label = mx.nd.array([[0.1] * 6] * 5), mx.nd.array([0, 1, 2, 3, 0])
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})

    def step():
        with mx.autograd.record():
            error = loss(net(x), label)
        error.backward()
        trainer.step(5)

    yield step
    yield step
    net.hybridize()
    loss.hybridize()
    yield step
    yield step
    yield lambda: net(x)
    yield lambda: net(x)


def is_beside(path):
    """Is a file one of many alike, of which a reader opens those that he wants: an operator, a layer, a loss?"""
    folders = path.split("/")[:-1]
    return (folders[:1] == ["ops"] and len(folders) > 1) or (folders[:2] == ["backend", "numpy"] and len(folders) > 2) \
        or folders[:2] == ["gluon", "nn"] or path.startswith("gluon/loss")


def lines_of(code):
    """How many lines the source of a function has, without what is nested in it and was not entered."""
    numbers = [line for _, _, line in code.co_lines() if line]
    return max(numbers) - min(numbers) + 1


def main():
    """Print the files, their lines, and the lines of the functions entered."""
    import minigluon
    root, total, run, count = Path(minigluon.__file__).parent, 0, 0, 0
    for path, codes in sorted(entered().items()):
        if not is_beside(path):
            lines, functions = len((root / path).read_text(encoding="utf-8").splitlines()), sum(map(lines_of, codes))
            print(f"{lines:6d} {functions:6d}  {path}")
            total, run, count = total + lines, run + functions, count + 1
    print(f"{total:6d} {run:6d}  in {count} files")


if __name__ == "__main__":
    main()

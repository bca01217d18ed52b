"""Every keyword of every optimizer, iterator and layer with edge values, here and in MXNet.

    python tests/scripts/options.py [--minutes M] [--seed S] [--mxnet PYTHON] [--record FILE] [--only TEXT]

A case is one call with one keyword replaced by 0, a negative or a huge number, text, None, a NumPy scalar, ... Its
outcome here is a result, a refusal (an MXNetError) or a bare error of Python. With --mxnet, a Python with MXNet 1.9.1
runs the same cases, each in a process of its own, and a result here must be its result, unless DOCUMENTED says why not.
With --record, MXNet's outcomes are added to a file of lines, and those that are there are not computed again.
Counts by class are printed, and the cases that are neither the same, nor documented, nor refused. The exit status is 1
if there are any.
"""

import argparse
import inspect
import json
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

VALUES = ["0", "-1", "1", "2", "0.5", "-0.5", "True", "False", "None", "'False'", "'2'", "'x'", "''", "np.float32(0.5)",
          "np.int64(2)", "np.array([1, 2])", "(1, 2)", "()", "[]", "1e30", "2**40", "float('nan')", "float('inf')",
          "{}"]
OPTIMIZERS = ["adadelta", "adagrad", "adam", "adamax", "dcasgd", "ftml", "ftrl", "lamb", "lars", "lbsgd", "nadam",
              "nag", "rmsprop", "sgd", "sgld", "signum"]
ITERATORS = {
    "mx.io.NDArrayIter": {"data": "np.arange(10.0).reshape(5, 2)", "label": "np.arange(5.0)", "batch_size": "2"},
    "mx.io.CSVIter": {"data_csv": "'a.csv'", "data_shape": "(2,)", "batch_size": "2"},
    "mx.io.LibSVMIter": {"data_libsvm": "'a.svm'", "data_shape": "(3,)", "batch_size": "2"},
    "mx.io.MNISTIter": {"image": "'images'", "label": "'labels'", "batch_size": "2", "shuffle": "False",
                        "silent": "True"},
    "mx.io.ImageRecordIter": {"path_imgrec": "'a.rec'", "data_shape": "(3, 8, 8)", "batch_size": "2"},
    "mx.io.ImageDetRecordIter": {"path_imgrec": "'d.rec'", "data_shape": "(3, 8, 8)", "batch_size": "2"},
    "mx.image.ImageIter": {"batch_size": "2", "data_shape": "(3, 8, 8)", "path_imgrec": "'a.rec'",
                           "path_imgidx": "'a.idx'"}}
LAYERS = {
    "nn.Dense": ({"units": "2"}, "(2, 3)"), "nn.Dropout": ({"rate": "0.5"}, "(2, 3)"), "nn.Flatten": ({}, "(2, 3, 2)"),
    "nn.BatchNorm": ({}, "(2, 3, 4)"), "nn.InstanceNorm": ({}, "(2, 3, 4)"), "nn.LayerNorm": ({}, "(2, 3)"),
    "nn.GroupNorm": ({}, "(2, 4, 3)"), "nn.Embedding": ({"input_dim": "3", "output_dim": "2"}, "(2, 3)"),
    "nn.Activation": ({"activation": "'relu'"}, "(2, 3)"), "nn.LeakyReLU": ({"alpha": "0.1"}, "(2, 3)"),
    "nn.ELU": ({}, "(2, 3)"), "nn.Swish": ({}, "(2, 3)"), "nn.Lambda": ({"function": "'relu'"}, "(2, 3)"),
    "nn.HybridLambda": ({"function": "'relu'"}, "(2, 3)"), "nn.ReflectionPad2D": ({"padding": "1"}, "(1, 1, 3, 3)"),
    **{f"nn.Conv{d}D{kind}": ({"channels": "2", "kernel_size": "2"}, f"(1, 2{', 4' * d})")
       for d in (1, 2) for kind in ("", "Transpose")},
    **{f"nn.{kind}Pool{d}D": ({}, f"(1, 2{', 4' * d})") for d in (1, 2)
       for kind in ("Max", "Avg", "GlobalMax", "GlobalAvg")},
    **{f"rnn.{kind}": ({"hidden_size": "2"}, "(3, 2, 2)") for kind in ("RNN", "LSTM", "GRU")}}

# Optimizers that call `clip`, and options of images for which numbers are drawn
CLIPPED = r"adadelta|adagrad|adamax|dcasgd|lbsgd|nadam|sgld"
DRAWN = (r"rand_(crop|mirror|resize|gray|crop_prob|pad_prob|mirror_prob)|random_(h|s|l)|(min|max)_random_(scale|area)|"
         r"(min|max)_aspect_ratio|(max_)?random_(hue|saturation|illumination|contrast)(_prob)?|random_resized_crop|"
         r"max_rotate_angle|brightness|contrast|saturation|pca_noise|max_shear_ratio|inter_method")

NAN = r"float\('nan'\)"
# (target, keyword, value): why the outcomes differ. Regular expressions.
DOCUMENTED = [
    (r"nn\..*|rnn\..*", r"prefix|params", r".*", "names and shared parameters are objects"),
    (CLIPPED, r"clip_gradient", r"-1|-0.5", "`clip` with a_min above a_max"),
    (r".*", r"clip_gradient|clip_weights", NAN, "`clip` with NaN"),
    (r"sgd|nag|lbsgd|signum", r"momentum", r"-1|-0.5", "a negative momentum"),
    (r"sgd|nag|lbsgd|signum|lars", r"momentum|rescale_grad|wd|warmup_epochs", NAN, "options of NaN"),
    (r"lamb", r"epsilon", r"-1|-0.5|1e30", "a step that divides by zero or overflows"),
    (r"lamb", r"learning_rate|lower_bound|wd", r"1e30|2\*\*40", "a step that overflows"),
    (r"lars", r"momentum|eta", r"1e30|2\*\*40", "a step that overflows"),
    (r"lars", r"rescale_grad", r"0|-0.5|-1|False", "`lars` with rescale_grad below or equal to 0"),
    (r"sgd", r"wd", r"1e30", "a step that overflows"),
    (r"signum", r"wd_lh", r"1e30|float\('inf'\)", "a step that overflows"),
    (r".*", r"learning_rate|momentum|rescale_grad|wd", r"float\('inf'\)", "a step that overflows"),
    (r"nadam", r"beta1", r"1e30|2\*\*40", "a step that overflows"),
    (r"mx\.io\..*", r"round_batch|last_batch_handle", r".*", "`pad` and the rest of the last batch"),
    (r"mx\.io\.Image.*", r"dtype", r".*", "`pad` and the rest of the last batch"),
    (r"mx\.io\.(Image(Det)?Record|LibSVM)Iter", r"num_parts", r"2|'2'|np\.int64\(2\)", "parts of equal bytes"),
    (r"mx\.io\.ImageDetRecordIter", r"mean_[rgb]", rf"-1|-0.5|{NAN}", "a mean that is not positive"),
    (r"mx\.io\.ImageRecordIter", r"std_[rgb]|scale", r"0|False|float\('inf'\)", "an infinite factor"),
    (r"sgld", r".*", r".*", "random numbers"),
    (r"mx\.(io|image)\..*", r"seed|seed_aug|shuffle", r".*", "random numbers"),
    (r"mx\.(io|image)\.Image.*", DRAWN, r".*", "random numbers"),
]


def names_of(mx):
    """The names that the texts of cases use."""
    import numpy as np
    return {"mx": mx, "np": np, "nn": mx.gluon.nn, "rnn": mx.gluon.rnn}


def keywords_of(function):
    """The names of parameters that a call may give."""
    return [p.name for p in inspect.signature(function).parameters.values()
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name != "self"]


def all_cases():
    """[{kind, target, keyword, value, given}] of every keyword with every value."""
    import minigluon as mx
    from minigluon.image.records.det_augment import DetAugmentation
    from minigluon.image.records.image_augment import Augmentation
    from minigluon.image.records.records import ImageRecords
    cases = []

    def add(kind, target, names, given, shape=""):
        cases.extend({"kind": kind, "target": target, "keyword": name, "value": value, "shape": shape,
                      "given": {key: text for key, text in given.items() if key != name}}
                     for name in dict.fromkeys(names) for value in VALUES)
    common = keywords_of(mx.optimizer.Optimizer.__init__)
    for name in OPTIMIZERS:
        add("optimizer", name, keywords_of(type(mx.optimizer.create(name)).__init__) + common, {})
    further = {"mx.io.ImageRecordIter": Augmentation, "mx.io.ImageDetRecordIter": DetAugmentation}
    for target, given in ITERATORS.items():
        names = keywords_of(eval(target, names_of(mx)).__init__)
        if target in further:
            names += [*keywords_of(ImageRecords.__init__), *further[target].__dataclass_fields__]
        add("iterator", target, [name for name in names if name not in ("normalization",)], given)
    for target, (given, shape) in LAYERS.items():
        names = keywords_of(eval(target, names_of(mx)).__init__)
        add("layer", target, names, given, shape)
    return cases


# -- one case ---------------------------------------------------------------------------------------------------------


def numbers(x):
    """An array as rounded numbers; long ones by their first and their sum."""
    import numpy as np
    x = np.asarray(x, np.float64).ravel()
    return [f"{value:.4g}" for value in ([*x[:12], x.sum()] if x.size > 12 else x)]


def result_of(mx, case):
    """The result of a case in one of the libraries."""
    import numpy as np
    names = names_of(mx)
    given = {key: eval(text, names) for key, text in {**case["given"], case["keyword"]: case["value"]}.items()}
    if case["kind"] == "optimizer":
        weight = mx.nd.array([1, -2, 3])
        updater = mx.optimizer.get_updater(mx.optimizer.create(case["target"], **given))
        for _ in range(3):
            updater(0, mx.nd.array([0.5, 2, -1]), weight)
        return numbers(weight.asnumpy())
    if case["kind"] == "iterator":
        batches, found = eval(case["target"], names)(**given), []
        for _, batch in zip(range(3), batches):
            found.append([list(batch.data[0].shape), numbers(batch.data[0].asnumpy()),
                          [numbers(label.asnumpy()) for label in batch.label or ()], batch.pad])
        return found
    layer = eval(case["target"], names)(**given)
    layer.initialize(mx.init.One())
    x = mx.nd.array(np.arange(np.prod(eval(case["shape"]))).reshape(eval(case["shape"])) % 3 - 1.0)
    y = layer(mx.nd.abs(x) if "Embedding" in case["target"] else x)
    return [list(y.shape), numbers(y.asnumpy())]


def outcome_of(mx, case):
    """('result' | 'refused' | 'bare', text)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "result", json.dumps(result_of(mx, case))
    except mx.MXNetError as error:
        return "refused", str(error).strip().split("\n")[0][:200]
    except Exception as error:
        return "bare", f"{type(error).__name__}: {error}"[:200]


def serve(library):
    """Run the cases of stdin, each in a child process, and print their outcomes: for MXNet, which may crash."""
    mx = __import__(library)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for line in sys.stdin:
        read, write = os.pipe()
        child = os.fork()
        if not child:
            signal.alarm(20)
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)            # what MXNet prints is no answer
                os.write(write, json.dumps(outcome_of(mx, json.loads(line))).encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as answers:
            answer = answers.read()
        os.waitpid(child, 0)
        print(answer or json.dumps(["crash", ""]), flush=True)


# -- all --------------------------------------------------------------------------------------------------------------


def documented(case):
    """Why the outcomes of a case differ, or None."""
    return next((why for target, keyword, value, why in DOCUMENTED if re.fullmatch(target, case["target"])
                 and re.fullmatch(keyword, case["keyword"]) and re.fullmatch(value, case["value"])), None)


def same(ours, theirs):
    """Whether two results are equal up to rounding: numbers, which are texts, relative to the largest of their list."""
    if not isinstance(ours, list) or not isinstance(theirs, list):
        return ours == theirs
    if len(ours) != len(theirs):
        return False
    if not all(isinstance(x, str) for x in [*ours, *theirs]):
        return all(map(same, ours, theirs))
    one, other = [[float(x) for x in numbers] for numbers in (ours, theirs)]
    finite = [abs(x) for x in other if math.isfinite(x)]
    return all(math.isclose(x, y, rel_tol=2e-3, abs_tol=1e-6 * max(finite, default=0)) or x != x and y != y
               for x, y in zip(one, other, strict=True))


def class_of(case, ours, theirs):
    """The class of a case: its name begins with '!' if something must be mended."""
    if ours[0] == "bare":
        return "! bare error"
    if ours[0] == "refused":
        return "refused" if theirs is None else "refused by both" if theirs[0] != "result" else "refused here alone"
    if theirs is None:
        return "accepted"
    if theirs[0] == "result" and same(json.loads(ours[1]), json.loads(theirs[1])):
        return "same"
    if theirs[0] == "crash":
        return "result here, MXNet crashes"
    if theirs[0] != "result":
        return "result here, refused by MXNet"
    return "documented difference" if documented(case) else "! different result"


def write_files(folder):
    """Write the files that the iterators read into the current folder."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from helpers.image_records import write_records
    write_records(folder, "a", range(5))
    write_records(folder, "d", range(4), lambda i: [2, 5, i, 0.1, 0.1, 0.6, 0.6])
    (folder / "a.csv").write_text("1,2\n3,4\n5,6\n")
    (folder / "a.svm").write_text("1 0:5 2:6\n0 1:7\n2 0:1\n")
    (folder / "images").write_bytes(bytes([0, 0, 8, 3, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 2, *range(20)]))
    (folder / "labels").write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 5, *range(5)]))


class MXNet:
    """Outcomes in MXNet: those of a file, and, if a Python with MXNet is given, of the other cases."""

    def __init__(self, python, file):
        self.file = file and Path(file)
        lines = self.file.read_text().splitlines() if self.file and self.file.exists() else []
        self.known = {tuple(key): tuple(outcome) for key, outcome in map(json.loads, lines)}
        self.process = python and subprocess.Popen([python, __file__, "--serve", "mxnet"], stdin=subprocess.PIPE,
                                                   stdout=subprocess.PIPE, text=True)

    def outcome_of(self, case):
        """The outcome of a case; None if it is not known and there is no MXNet."""
        key = case["target"], case["keyword"], case["value"]
        if key not in self.known and self.process:
            print(json.dumps(case), file=self.process.stdin, flush=True)
            self.known[key] = tuple(json.loads(self.process.stdout.readline() or '["crash", ""]'))
            if self.file:
                with self.file.open("a") as lines:
                    print(json.dumps([key, self.known[key]]), file=lines)
        return self.known.get(key)

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


def run(cases, until, mxnet):
    """Yield (case, class, outcome here, outcome in MXNet) of cases until a time."""
    given = set(os.listdir())
    for case in cases:
        if time.monotonic() > until:
            break
        ours = outcome_of(sys.modules["minigluon"], case)
        for name in set(os.listdir()) - given:          # a mean image, which the next call would read
            os.remove(name)
        theirs = mxnet.outcome_of(case)
        yield case, class_of(case, ours, theirs), ours, theirs
    mxnet.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mxnet", help="a Python with MXNet 1.9.1")
    parser.add_argument("--record", help="a file of MXNet's outcomes")
    parser.add_argument("--list", default="!", help="also list the cases whose class begins with this")
    parser.add_argument("--only", default="", help="cases whose target contains this")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))      # a huge number must not take the machine's memory
    until = time.monotonic() + 60 * options.minutes
    cases = [case for case in all_cases() if options.only in case["target"]]
    random.Random(options.seed).shuffle(cases)
    counts, total = Counter(), len(cases)
    record = options.record and os.path.abspath(options.record)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_files(Path(folder))
        mxnet = MXNet(options.mxnet, record)        # in this folder
        for case, kind, ours, theirs in run(cases, until, mxnet):
            counts[kind] += 1
            if kind.startswith(("!", options.list)):
                call = f"{case['target']}({case['keyword']}={case['value']})"
                print(f"{kind}: {call}: here {ours}, MXNet {theirs}", flush=True)
        os.chdir("/")
    print(f"{counts.total()} of {total} cases")
    for kind, count in sorted(counts.items()):
        print(f"{count:7d} {kind}")
    sys.exit(any(kind.startswith("!") for kind in counts))


if __name__ == "__main__":
    main()

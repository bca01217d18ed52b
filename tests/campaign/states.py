"""Front `states`: files of optimizer states, changed, made of random pickle instructions, or grown.

Loading one gives an MXNetError, and then trainer and states are those from before; or a load, and then steps work. It
takes at most 8 times the file and 64 MB.
"""

import functools
import pickletools
import random
import struct
import tempfile
import zipfile
from pathlib import Path

from helpers import memory
from records import mxnet_states

import minigluon as mx
from minigluon import autograd, gluon, nd

SECONDS = 1.0
IN_CI = 80
SHAPES = (2, 3), (3, 1)
EXTRA_MEMORY = 64 * 2 ** 20

SCHEDULERS = {
    "factor": lambda: mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1, warmup_steps=1),
    "multi": lambda: mx.lr_scheduler.MultiFactorScheduler([2, 5], 0.5, base_lr=0.1),
    "poly": lambda: mx.lr_scheduler.PolyScheduler(20, 0.1), "cosine": lambda: mx.lr_scheduler.CosineScheduler(20, 0.1),
}
RECORDED = [name for name in mxnet_states.OPTIMIZERS if "mixed" not in name]


# -- trainers and their files ---------------------------------------------------------------------------------------


def trainer_of(name):
    """(trainer, its parameters) for one of mxnet_states.OPTIMIZERS, with '+' and a scheduler's name, perhaps."""
    kind, _, schedule = name.partition("+")
    optimizer, arguments = mxnet_states.OPTIMIZERS[kind]
    rate = {"lr_scheduler": SCHEDULERS[schedule]()} if schedule else {"learning_rate": 0.1}
    params = []
    for i, shape in enumerate(SHAPES):
        param = gluon.Parameter(f"p{i}_weight", shape=shape, dtype="float16" if "mixed" in kind else "float32")
        param.initialize(mx.init.One())
        params.append(param)
    return gluon.Trainer(params, optimizer, {**rate, **arguments}), params


def step(trainer, params):
    with autograd.record():
        loss = sum((param.data().astype("float32") * 0.5).sum() for param in params)
    loss.backward()
    trainer.step(1)


@functools.cache
def saved(name):
    """The bytes of a trainer's states after two steps, here or, with '@', in MXNet."""
    if name.startswith("@"):
        with zipfile.ZipFile(mxnet_states.ARCHIVE) as archive:
            return archive.read(name[1:] + ".states")
    trainer, params = trainer_of(name)
    for _ in range(2):
        step(trainer, params)
    with tempfile.TemporaryDirectory() as folder:
        trainer.save_states(f"{folder}/states")
        return Path(folder, "states").read_bytes()


@functools.cache
def instructions(name):
    """The file's instructions: [bytes]."""
    content = saved(name)
    places = [place for _, _, place in pickletools.genops(content)] + [len(content)]
    found = [content[start:end] for start, end in zip(places, places[1:], strict=False)]
    return [code for code in found if code[:1] != b"\x95"]          # without frames, whose sizes would be wrong


# -- drawing --------------------------------------------------------------------------------------------------------


NUMBERS = [b"K\x00", b"K\x01", b"J\xff\xff\xff\xff", b"J\xff\xff\xff\x7f", b"N", b"\x88", b"]", b"}", b")",
           b"\x8a\x08" + b"\xff" * 7 + b"\x7f", b"\x8a\x20" + b"\x7f" * 32, b"\x8c\x01a", b"C\x02ab"] + [
               b"G" + struct.pack(">d", x) for x in (0, -1, 1, 2, 1e300, -1e-300, float("nan"), float("inf"))]
VALUES = [0, 1, -1, 2, 3, 0.5, -0.5, 1e300, -1e-300, float("nan"), float("inf"), 2 ** 31, 2 ** 63, 2 ** 70, 10 ** 9,
          None, True, "a", "linear", [], {}, [1, 2], [2, 1], [0, 5]]
NAMES = [b"cmxnet.optimizer.optimizer\nSGD\n", b"cmxnet.optimizer.optimizer\nAdam\n", b"cbuiltins\nbytearray\n",
         b"cmxnet.lr_scheduler\nFactorScheduler\n", b"cmxnet.ndarray.ndarray\nNDArray\n", b"cnumpy\ndtype\n",
         b"cnumpy.core.multiarray\nscalar\n", b"ccopyreg\n__newobj__\n", b"cos\nsystem\n"]
OTHERS = [b"R", b"b", b"u", b"s", b"\x94", b"h\x00", b"h\x05", b"\x86", b"\x85", b"a", b"0", b"2"]
GROWN = [b"]", b"}", b")", b"(", b"N", b"]Na", b"}K\x01Ns", b"K\x00\x85", b"]\x94", b"M\xff\xff", b"0N",
         b"\x8c\x01a\x94", b"\x86", b"q\x00h\x00h\x00\x86", b"q\x00](h\x00h\x00e", b"q\x00}(K\x00h\x00K\x01h\x00u",
         b"2", b"V\n", b"I0\n", b"(l", b"(d", b"C\x00", b"(\x91", b"\x8f(K\x00\x90", b"cnumpy\ndtype\n)R",
         b"\x8a\x08" + b"\xff" * 7 + b"\x1f"]


def case(seed):
    draw = random.Random(seed)
    names = [*mxnet_states.OPTIMIZERS, *(f"{kind}+{each}" for kind in ("sgd", "adam", "sgld") for each in SCHEDULERS
                                         if kind in mxnet_states.OPTIMIZERS), *("@" + name for name in RECORDED)]
    name = draw.choice(names)
    kind = draw.choice(["bytes", "instructions", "values", "values", "fields", "fields", "fields", "states", "other",
                        "program", "grown"])
    drawn = {"kind": kind, "file": name}
    if kind == "bytes":
        size = len(saved(name))
        drawn["edits"] = [[draw.choice(["flip", "cut", "insert", "remove"]), draw.randrange(size), draw.randrange(256)]
                          for _ in range(draw.randint(1, 4))]
    elif kind in ("instructions", "values"):
        drawn["edits"] = [edit(draw, name, kind) for _ in range(draw.randint(1, 3))]
    elif kind in ("fields", "states"):
        drawn["file"] = name = name.lstrip("@")
        trainer = trainer_of(name)[0]
        drawn["edits"] = [field(draw, trainer.optimizer) if kind == "fields" else [draw.randrange(3), state(draw)]
                          for _ in range(draw.randint(1, 2))]
    elif kind == "other":
        drawn["trainer"] = draw.choice(names[:-len(RECORDED)])
    elif kind == "program":
        drawn["steps"] = program(draw)
    else:
        drawn["steps"] = [draw.choice(GROWN).hex() for _ in range(draw.randint(1, 2))]
        drawn["times"] = int(10 ** draw.uniform(1, 5.5))
    return drawn


def field(draw, optimizer):
    """[of the scheduler? attribute, value]."""
    owner = optimizer.lr_scheduler if optimizer.lr_scheduler is not None and draw.random() < 0.6 else optimizer
    names = sorted(vars(owner).keys() - {"_last_lr"})       # files have another in its place
    value = draw.choice(VALUES) if draw.random() < 0.8 else vars(owner)[draw.choice(names)]
    if not isinstance(value, (int, float, str, list, dict, type(None))) or isinstance(value, dict) and value:
        value = 0.5
    return [owner is not optimizer, draw.choice([*names, "step", "update"]), value]


def state(draw, floors=2):
    """None, [shape, type] of an array, or {"of": parts} for a tuple."""
    if draw.random() < 0.2:
        return None
    if floors and draw.random() < 0.5:
        return {"of": [state(draw, floors - 1) for _ in range(draw.choice([0, 1, 2, 2, 3]))]}
    shape = draw.choice([*SHAPES, *SHAPES, (2, 1), (3, 2), (0, 3), (), (6,)])
    return [shape, draw.choice(["float32", "float32", "float16", "int32"])]


def edit(draw, name, kind):
    """[what happens, number of an instruction, hex of another instead or number of another]."""
    steps = instructions(name)
    if kind == "values":
        place = draw.choice([i for i, code in enumerate(steps) if code[:1] in b"KMJGN\x88\x89\x8c]})BC"])
        alike = [code for code in [*NUMBERS, *steps] if (code[:1] in b"KMJGN\x88\x89") == (
            steps[place][:1] in b"KMJGN\x88\x89") and (code[:1] == b"\x8c") == (steps[place][:1] == b"\x8c")]
        return ["replace", place, draw.choice(alike if draw.random() < 0.95 else NUMBERS).hex()]
    what = draw.choice(["swap", "drop", "double", "replace"])
    other = draw.choice([*NUMBERS, *NAMES, *OTHERS])
    return [what, draw.randrange(len(steps)), other.hex() if what == "replace" else draw.randrange(len(steps))]


def program(draw):
    """Instructions that mostly find on the stack what they take: its values are known by a letter."""
    steps, stack, puts = [b"}".hex()], ["d"], 0
    for _ in range(draw.randint(2, 80)):
        tail = "".join(stack[-3:])
        fits = [(kind, code, 0) for kind, code in zip("vvldtmn", (b"", b"", b"]", b"}", b")", b"(", b""), strict=True)]
        if "m" in stack:
            fits += [("t", b"t", -1), ("l", b"l", -1), ("d", b"d", -1)]
        elif stack:
            fits += [("t", b"\x85", 1), ("", b"\x94", 0)]
            fits += [("t", b"\x86", 2), (stack[-1], b"2", 0)] if len(stack) > 1 else []
            fits += [(None, b"h", 0)] if puts else []
        for end, code, result, taken in (("nt", b"R", "o", 2), ("nt", b"\x81", "o", 2), ("od", b"b", "o", 2),
                                         ("l" + tail[-1:], b"a", "l", 2)):
            fits += [(result, code, taken)] * 3 if end and tail.endswith(end) and "m" not in tail else []
        if len(tail) == 3 and tail[0] == "d" and tail[1] in "vt" and "m" not in tail:
            fits += [("d", b"s", 3)] * 4
        result, code, taken = draw.choice(fits)
        if result == "v":
            code = draw.choice(NUMBERS)
        elif result == "n":
            code = draw.choice(NAMES)
        elif result is None:
            result, code = "v", b"h" + bytes([draw.randrange(puts)])
        if taken < 0:
            start = len(stack) - 1 - stack[::-1].index("m")
            del stack[start:]
        elif taken:
            del stack[-taken:]
        stack += [result] if result else []
        puts += code == b"\x94"
        steps.append((draw.choice(GROWN) if draw.random() < 0.01 else code).hex())
    marks = stack.count("m")
    left = stack[:stack.index("m")] if marks else stack
    return steps + [b"1".hex()] * marks + [b"0".hex()] * (len(left) - 1)


# -- running --------------------------------------------------------------------------------------------------------


def content_of(case):
    """The bytes of a case's file."""
    kind = case["kind"]
    if kind == "other":
        return saved(case["trainer"])
    if kind == "bytes":
        return with_bytes_changed(bytearray(saved(case["file"])), case["edits"])
    if kind in ("fields", "states"):
        return with_values_changed(case)
    if kind in ("program", "grown"):
        body = bytes.fromhex("".join(case["steps"])) * case.get("times", 1)
        return b"\x80\x04" + (b"(" if kind == "grown" else b"") + body + (b"l." if kind == "grown" else b".")
    steps = list(instructions(case["file"]))
    for what, place, other in case["edits"]:
        place %= len(steps)
        if what == "swap":
            steps[place], steps[other % len(steps)] = steps[other % len(steps)], steps[place]
        elif what == "drop":
            del steps[place]
        else:
            steps[place:place + (what == "replace")] = [bytes.fromhex(other) if what == "replace" else steps[place]]
    return b"".join(steps)


def with_values_changed(case):
    trainer, params = trainer_of(case["file"])
    step(trainer, params)
    updater = trainer._updaters[0]
    optimizer, scheduler = updater.optimizer, updater.optimizer.lr_scheduler
    for edit in case["edits"]:
        if case["kind"] == "states":
            updater.states[edit[0]] = made(edit[1])
        else:
            of_scheduler, name, value = edit
            vars(scheduler if of_scheduler else optimizer)[name] = value
    return updater.get_states(dump_optimizer=True)


def made(state):
    if isinstance(state, dict):
        return tuple(map(made, state["of"]))
    return state if state is None else nd.ones(tuple(state[0]), dtype=state[1])


def with_bytes_changed(content, edits):
    for what, place, value in edits:
        place %= max(len(content), 1)
        if what == "flip" and content:
            content[place] ^= value
        elif what == "cut":
            del content[place:]
        elif what == "insert":
            content[place:place] = bytes([value])
        else:
            del content[place:place + 1 + value % 8]
    return bytes(content)


def run(case):
    return judge(case["file"].lstrip("@"), content_of(case))


def judge(name, content):
    """What is wrong with how a trainer, one of mxnet_states.OPTIMIZERS, loads states of these bytes, or None."""
    trainer, params = trainer_of(name)
    step(trainer, params)
    before = trainer.optimizer, trainer._updaters[0].states
    with tempfile.NamedTemporaryFile() as file, memory.Peak() as peak:
        file.write(content)
        file.flush()
        try:
            trainer.load_states(file.name)
            refused = None
        except mx.MXNetError as error:
            refused = str(error)
    if peak.bytes > 8 * len(content) + EXTRA_MEMORY:
        return f"{len(content)} bytes took {peak.bytes >> 20} MB"
    if refused is not None and file.name not in refused:
        return f"the error does not name the file: {refused}"
    if refused is not None and not (before[0] is trainer.optimizer and before[1] is trainer._updaters[0].states):
        return "a load that was refused has changed the trainer"
    try:
        for _ in range(2):
            step(trainer, params)
    except mx.MXNetError as error:
        if "wd=0" not in str(error):        # GroupAdaGrad has no decay, but one that its factors turn off
            raise
    trainer.save_states("/dev/null")
    return None


def smaller(case):
    """Fewer edits, fewer instructions, less often."""
    for what in ("edits", "steps"):
        parts = case.get(what, [])
        for size in (len(parts) // 2, 1):
            for start in range(0, len(parts), max(size, 1)):
                if size and len(parts) > 1:
                    yield {**case, what: parts[:start] + parts[start + size:]}
    if case.get("times", 1) > 1:
        yield {**case, "times": case["times"] // 2}

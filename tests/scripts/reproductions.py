"""Faults that versions before had with files and processes that cannot be trusted: each a short program that shows one.

    python tests/scripts/reproductions.py                  against the packages of this checkout
    python tests/scripts/reproductions.py FOLDER FOLDER    against those in other folders, such as an older checkout's
    python tests/scripts/reproductions.py --only states    those whose name has this text

Each runs in a process of its own, with 20 seconds and 6 GB. It HOLDS where the program ends well: it asserts what has
to be true. It FAILS on an assertion, another error than MXNetError, a crash, or the end of its time or memory.
The exit code is 0 where all hold.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).parents[2]
SECONDS, BYTES = 20, 6 << 30
START = """
import gzip, json, os, pickle, struct, sys, threading, time
import numpy as np
import minigluon as mx
from minigluon import autograd, gluon, nd, recordio, sym
from minigluon.base import MXNetError

def refused(function, *args, **kwargs):
    try:
        result = function(*args, **kwargs)
        for array in result if isinstance(result, (list, tuple)) else [result]:
            if isinstance(array, nd.NDArray):
                array.asnumpy()
    except MXNetError as error:
        return str(error)
    raise AssertionError("that was accepted")

def variable(name, **attrs):
    return {"op": "null", "name": name, "inputs": [], "attrs": attrs}

def operator(name, inputs, **attrs):
    return {"op": name, "name": name.lower(), "inputs": [[i, 0, 0] for i in range(inputs)],
            "attrs": {key: str(value) for key, value in attrs.items()}}

def graph(*nodes, head):
    return json.dumps({"nodes": list(nodes), "arg_nodes": [], "heads": [[head, 0, 0]],
                       "attrs": {"mxnet_version": ["int", 10901]}})

def seconds(function):
    start = time.perf_counter()
    try:
        function()
    except MXNetError:
        pass
    return time.perf_counter() - start

def peak():
    return [int(line.split()[1]) >> 10 for line in open("/proc/self/status") if line.startswith("VmHWM")][0]

def internal(name, *shapes, **attrs):
    # an internal operator, of ones with these shapes
    return refused(lambda: getattr(nd._internal, name)(*[nd.ones(shape) for shape in shapes], **attrs))

def updater():
    return mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9))

def net_of(value, units=4):
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(units, in_units=units), gluon.nn.Dense(units, in_units=units))
    net.initialize(mx.init.Constant(value))
    net.hybridize()
    net(nd.ones((1, units)))
    return net
"""

# name: the program
FAULTS = {}


def fault(name, program):
    FAULTS[name] = textwrap.dedent(program)


# -- operators that a file may not name, and what they do with inputs that do not fit ---------------------------------

fault("a symbol file names _slice_grad", """
    text = graph(variable("a"), variable("b"), operator("_slice_grad", 2, begin="(0, 0)", end="(1, 1)"), head=2)
    open("net-symbol.json", "w").write(text)
    refused(gluon.SymbolBlock.imports, "net-symbol.json", ["a", "b"])
    """)
fault("_slice_grad of other shapes", """
    internal("_slice_grad", (64, 64), (2, 2), begin=(0, 0), end=(1, 1))
    """)
fault("_slice_axis_grad of other shapes", """
    internal("_slice_axis_grad", (512, 64), (2, 2), axis=0, begin=0, end=1)
    """)
fault("_pick_grad of other shapes", """
    internal("_pick_grad", (4096,), (2, 3), (2,))
    """)
fault("_take_grad of other shapes", """
    internal("_take_grad", (2, 2), (4, 3), (4096,))
    """)
fault("_dot_rhs_grad of other shapes", """
    internal("_dot_rhs_grad", (2, 2), (512, 3), (3, 5))
    """)
fault("_spread_like of shapes that do not fit", """
    internal("_spread_like", (3,), (4, 5))
    """)
fault("_sum_like of shapes that do not fit", """
    internal("_sum_like", (4, 5), (3,))
    """)

# -- limits before work -----------------------------------------------------------------------------------------------

fault("a file of 20,000 arrays of one name", """
    record = struct.pack("<IiIqiii", 0xF993FAC9, 0, 1, 1, 1, 0, 0) + bytes(4)
    names = [b"%05d" % min(i, 19_998) for i in range(20_000)]
    open("x.params", "wb").write(b"".join([
        struct.pack("<QQQ", 0x112, 0, len(names)), record * len(names), struct.pack("<Q", len(names)),
        *[struct.pack("<Q", len(name)) + name for name in names]]))
    assert seconds(lambda: refused(nd.load, "x.params")) < 6
    """)
fault("a loop's body of 20,000 variables of one name", """
    variables = [variable(f"v{min(i, 19_999)}") for i in range(20_001)]
    body = {"nodes": [*variables, operator("identity", 1)], "arg_nodes": [], "heads": [[20_001, 0, 0]]}
    loop = {**operator("_foreach", 1, num_args=2, num_outputs=1, num_out_data=1, in_state_locs="()",
                       in_data_locs="(0,)", remain_locs="()"), "subgraphs": [body]}
    assert seconds(lambda: sym.load_json(graph(variable("x"), loop, head=1))) < 2
    """)
fault("30,000 inputs of a block, two of one name", """
    inputs = [sym.var(f"x{min(i, 29_998)}") for i in range(30_000)]
    assert seconds(lambda: gluon.SymbolBlock(sym.var("x0") + 1, inputs)) < 4
    """)
fault("SliceChannel of 10^9 outputs", """
    seconds(lambda: sym.load_json(
        graph(variable("x"), operator("SliceChannel", 1, num_outputs=10**9), head=1)).infer_shape(x=(10**9,)))
    assert peak() < 400
    """)
fault("RNN of 10^8 layers", """
    text = graph(variable("x"), variable("p"), variable("s"),
                 operator("RNN", 3, state_size=1, num_layers=10**8, mode="rnn_tanh"), head=3)
    seconds(lambda: sym.load_json(text).infer_shape(x=(1, 1, 1)))
    assert peak() < 400
    """)
fault("an attribute of 9 MB", """
    text = graph(variable("x"), operator("Reshape", 1, shape="(" + "1," * 4_500_000 + ")"), head=1)
    seconds(lambda: sym.load_json(text))
    assert peak() < 64 + 150 + 8 * 9 * 2, peak()
    """)
fault("a gzipped idx file of zeros", """
    with gzip.open("x-ubyte.gz", "wb", 1) as file:
        for _ in range(1500):
            file.write(bytes(1 << 20))
    try:
        from minigluon.serialization.idx import read_idx
    except ImportError:
        from minigluon.idx_file import read_idx
    refused(read_idx, "x-ubyte.gz")
    assert peak() < 400
    """)
fault("states: a number in the memo", """
    refused(updater().set_states, b"\\x80\\x04]r\\xff\\xff\\xff\\x0f.")
    assert peak() < 400
    """)
fault("states: a bytearray of two billion zeros", """
    refused(updater().set_states, b"cbuiltins\\nbytearray\\nJ\\x00\\x94\\x35\\x77\\x85R.")
    assert peak() < 400
    """)
fault("states: lists that share lists", """
    content = b"\\x80\\x04]" + b"".join(b"q%c0](h%ch%ce" % (i, i, i) for i in range(25)) + b"."
    refused(updater().set_states, content)
    """)
fault("states: a schedule of steps of no length", """
    owner = mx.optimizer.get_updater(mx.optimizer.SGD(lr_scheduler=mx.lr_scheduler.FactorScheduler(5)))
    owner(0, nd.ones(2), nd.ones(2))
    owner.optimizer.lr_scheduler.step = 0
    content = owner.get_states(dump_optimizer=True)
    def load_and_step():
        other = updater()
        other.set_states(content)
        for _ in range(9):
            other(0, nd.ones(2), nd.ones(2))
    refused(load_and_step)
    """)
fault("states: values that a step cannot take", """
    owner = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=0.1))
    owner(0, nd.ones(2), nd.ones(2))
    owner.optimizer.lr = "fast"
    content = owner.get_states(dump_optimizer=True)
    refused(updater().set_states, content)
    """)
fault("an image of more pixels than the program allows", """
    from PIL import Image
    Image.new("RGB", (100, 100)).save("x.png")
    os.environ["MINIGLUON_MAX_IMAGE_PIXELS"] = "9999"
    assert "MINIGLUON_MAX_IMAGE_PIXELS" in refused(mx.image.imread, "x.png")
    """)

# -- whole checkpoints ------------------------------------------------------------------------------------------------

fault("an export whose symbol cannot be written", """
    net_of(1).export("net")
    os.remove("net-symbol.json")
    os.mkdir("net-symbol.json")
    before = open("net-0000.params", "rb").read()
    refused(net_of(2).export, "net")
    assert open("net-0000.params", "rb").read() == before
    """)
fault("an export killed between its two files", """
    net_of(1).export("net")
    fitting = open("net-0000.params", "rb").read()
    child = os.fork()
    if not child:
        real, count = os.replace, [0]
        def replace(*args, **kwargs):
            count[0] += 1
            if count[0] == 2:
                os._exit(9)
            return real(*args, **kwargs)
        os.replace = os.rename = replace
        net_of(2).export("net")
        os._exit(0)
    os.waitpid(child, 0)
    try:
        net = gluon.SymbolBlock.imports("net-symbol.json", ["data"], "net-0000.params")
        net_of(3).export("net")
    except MXNetError as error:
        print(error)
    else:
        assert not [name for name in os.listdir(".") if "net-" in name and name not in (
            "net-symbol.json", "net-0000.params")], os.listdir(".")
    """)
fault("what killed writers leave", """
    child = os.fork()
    if not child:
        os.replace = os.rename = lambda *args, **kwargs: os._exit(9)
        nd.save("x.params", [nd.ones(3)])
        os._exit(0)
    os.waitpid(child, 0)
    nd.save("x.params", [nd.ones(3)])
    assert os.listdir(".") == ["x.params"], os.listdir(".")
    """)
fault("50 saves to a name of 300 letters", """
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        try:
            nd.save("x" * 300, [nd.ones(3)])
        except (MXNetError, OSError):
            pass
    assert len(os.listdir("/proc/self/fd")) <= before + 1
    assert os.listdir(".") == []
    """)
fault("50 saves where the mode cannot be copied", """
    nd.save("x.params", [nd.ones(3)])
    def failing(*args, **kwargs):
        raise PermissionError(1, "no")
    os.chmod = os.fchmod = failing
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        try:
            nd.save("x.params", [nd.ones(3)])
        except (MXNetError, OSError):
            pass
    assert len(os.listdir("/proc/self/fd")) <= before + 1
    assert os.listdir(".") == ["x.params"], os.listdir(".")
    """)
fault("nd.save to a folder", """
    os.mkdir("dir")
    refused(nd.save, "dir/", [nd.ones(3)])
    refused(nd.save, "none/", [nd.ones(3)])
    """)
fault("a record file whose end is torn", """
    writer = recordio.MXRecordIO("x.rec", "w")
    for i in range(3):
        writer.write(b"record %d" % i)
    writer.close()
    content = open("x.rec", "rb").read()
    open("x.rec", "wb").write(content[:-5])
    reader = recordio.MXRecordIO("x.rec", "r")
    found = []
    while (record := reader.read()) is not None:
        found.append(record)
    assert found == [b"record 0", b"record 1"]
    """)

# -- threads ----------------------------------------------------------------------------------------------------------

fault("set_data while other threads predict", """
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(1, in_units=200_000, use_bias=False))
    net.initialize(mx.init.Constant(1))
    net.hybridize()
    x = nd.ones((1, 200_000))
    weight = net[0].weight
    versions = [nd.full((1, 200_000), value) for value in (1, 2)]
    allowed = []
    for version in versions:
        weight.set_data(version)
        allowed.append(net(x).asscalar())
    stop, mixed = [], []
    def predict():
        while not stop:
            value = net(x).asscalar()
            if value not in allowed:
                mixed.append(value)
    threads = [threading.Thread(target=predict) for _ in range(3)]
    for thread in threads:
        thread.start()
    end = time.perf_counter() + 5
    i = 0
    while time.perf_counter() < end and not mixed:
        weight.set_data(versions[i % 2])
        i += 1
    stop.append(True)
    for thread in threads:
        thread.join()
    assert not mixed, mixed[:3]
    """)

# -- processes --------------------------------------------------------------------------------------------------------

for what, mine, other in [
        ("keys in another order", "for k in 'ab': push(k, 4)", "for k in 'ba': push(k, 4)"),
        ("other types", "push('a', 4, 'float32')", "push('a', 4, 'int32')"),
        ("other keys", "push('a', 4)", "push('b', 4)")]:
    fault(f"MPI: {what}", f"""
    program = '''
    import minigluon as mx
    from minigluon import nd
    store = mx.kv.create("dist_sync")
    def push(key, size, dtype="float32"):
        store.push(key, nd.full((size,), 1 + (key == "b") * 10, dtype=dtype))
    for key in "ab":
        store.init(key, nd.zeros((4,)))
    if store.rank == 0:
        {mine}
    else:
        {other}
    total = nd.zeros((4,))
    store.pull("a", out=total)
    print(total.asnumpy().tolist(), flush=True)
    '''
    import subprocess, textwrap
    open("program.py", "w").write(textwrap.dedent(program))
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, "program.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=14,
                          env={{**os.environ, "MINIGLUON_MPI_TIMEOUT": "5"}})
    assert done.returncode != 0, done.stdout
    assert "process 0" in done.stderr and "process 1" in done.stderr, done.stderr[-900:]
    """)

# -- numbers ----------------------------------------------------------------------------------------------------------

for dtype in "float16", "int32":
    fault(f"the gradient of dot in {dtype}", f"""
    a, b = nd.ones((2, 3), dtype="{dtype}"), nd.ones((3, 4), dtype="{dtype}")
    a.attach_grad()
    with autograd.record():
        c = nd.dot(a, b)
    c.backward()
    assert a.grad.asnumpy().tolist() == [[4] * 3] * 2
    """)
fault("the sum of 2^26 tenths", """
    x = nd.full((1 << 26,), 0.1)
    assert abs(x.sum().asscalar() / (np.float64(np.float32(0.1)) * (1 << 26)) - 1) < 1e-6
    """)
fault("argmax of int8 and of more than 127", """
    x = nd.zeros((1, 300), dtype="int8")
    x[0, 299] = 1
    try:
        assert x.argmax(axis=1).asnumpy().tolist() == [299]
    except MXNetError as error:
        assert "299" in str(error)
    """)
fault("gradients of LayerNorm and BatchNorm of huge numbers, infinities and NaN", """
    rng = np.random.default_rng(0)
    for name, vectors in [("LayerNorm", (1, 0)), ("BatchNorm", (1, 0, 0, 1))] * 20:
        arrays = [rng.normal(size=(3, 5, 5)).astype("float32") for _ in range(2)]
        for _ in range(rng.integers(2, 6)):
            arrays[rng.integers(2)].flat[rng.integers(75)] = rng.choice([np.nan, np.inf, -np.inf, 3e38, 1e-40])
        kinds = []
        for backend in "numpy", "accel":
            with mx.backend.use_backend(backend):
                data = nd.array(arrays[0])
                data.attach_grad()
                with autograd.record():
                    out = getattr(nd, name)(data, *[nd.full((5,), x) for x in vectors])
                out.backward(nd.array(arrays[1]))
                kinds.append([np.where(np.isfinite(a), 0, a) for a in (out.asnumpy(), data.grad.asnumpy())])
        np.testing.assert_array_equal(*kinds)
    """)

# -- errors that say nothing ------------------------------------------------------------------------------------------

fault("an index that leads to the end of the records", """
    writer = recordio.MXIndexedRecordIO("x.idx", "x.rec", "w")
    image = nd.zeros((4, 4, 3), dtype="uint8").asnumpy()
    writer.write_idx(0, recordio.pack_img(recordio.IRHeader(0, 1.0, 7, 0), image))
    writer.close()
    open("x.idx", "a").write(f"1\\t{os.path.getsize('x.rec')}\\n")
    batches = mx.io.ImageRecordIter(path_imgrec="x.rec", path_imgidx="x.idx", data_shape=(3, 4, 4), batch_size=2)
    refused(list, batches)
    """)
fault("a list in another encoding", """
    open("x.lst", "wb").write("1\\t0\\ta.jpg\\n2\\t0\\tä.jpg\\n".encode("latin-1"))
    refused(lambda: mx.image.ImageIter(1, (3, 4, 4), path_imglist="x.lst", path_root="."))
    """)
fault("embeddings in another encoding", """
    open("x.txt", "wb").write("ä 1 2\\n".encode("latin-1"))
    refused(mx.contrib.text.embedding.CustomEmbedding, "x.txt")
    open("x.txt", "wb").write("ä 1 2\\n".encode("utf-16-le"))
    refused(mx.contrib.text.embedding.CustomEmbedding, "x.txt", encoding="utf-16")
    """)
fault("a path with the character 0", """
    refused(nd.load, "a\\0b")
    refused(sym.load, "a\\0b")
    """)
fault("a sparse file of 100 GB", """
    head = struct.pack("<QQQIiIqiii", 0x112, 0, 1, 0xF993FAC9, 0, 1, (100 << 30) // 4, 1, 0, 0)
    open("x.params", "wb").write(head)
    os.truncate("x.params", len(head) + (100 << 30) + 8)
    refused(nd.load, "x.params")
    """)
fault("multi_sgd_mom_update of too many weights", """
    for weights in (2, 3, 10**6):
        refused(lambda: nd.multi_sgd_mom_update(*[nd.ones(2)] * 3, lrs=(0.1, 0.1), wds=(0, 0), num_weights=weights))
        refused(lambda: sym.multi_sgd_mom_update(*[sym.var(c) for c in "abc"], lrs=(1, 1), wds=(0, 0),
                                                 num_weights=weights).infer_shape(a=(2,)))
    """)
fault("3,000 nested blocks", """
    net = inner = gluon.nn.HybridSequential()
    for _ in range(3000):
        block = gluon.nn.HybridSequential()
        inner.add(block)
        inner = block
    inner.add(gluon.nn.Dense(1, in_units=1))
    try:
        net.initialize()
        net(nd.ones((1, 1))).asnumpy()
    except MXNetError:
        pass
    """)
fault("a list that leaves its folder", """
    from minigluon.image.im2rec import make_records
    os.mkdir("images")
    open("secret", "wb").write(b"secret")
    open("x.lst", "w").write("1\\t0\\t../secret\\n")
    refused(make_records, "x.lst", "images", pass_through=True)
    """)
fault("a download whose address ends in a name with commands for a terminal", """
    os.mkdir("into")
    for name in [".bashrc", "..", "a\\x1b[2Jb"]:
        assert "Connection refused" not in refused(gluon.utils.download, f"http://127.0.0.1:9/x/{name}", "into",
                                                   retries=0)
    """)


def run(name, folders):
    """"" where the program ends well, or what it said last."""
    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))

    paths = os.pathsep.join(str(pathlib.Path(folder).resolve()) for folder in folders)
    with tempfile.TemporaryDirectory() as work:
        try:
            done = subprocess.run(
                [sys.executable, "-c", START + FAULTS[name]], cwd=work, capture_output=True, text=True, timeout=SECONDS,
                env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}, preexec_fn=limited)
        except subprocess.TimeoutExpired:
            return f"no end within {SECONDS} s"
    if done.returncode == 0:
        return ""
    if done.returncode < 0:
        return f"killed by signal {-done.returncode}"
    return (done.stderr.strip().splitlines() or ["no message"])[-1][:110]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=[ROOT, ROOT / "minigluon_accel"])
    parser.add_argument("--only", default="", metavar="TEXT")
    options = parser.parse_args()
    chosen = [name for name in FAULTS if options.only in name]
    failed = 0
    for name in chosen:
        said = run(name, options.folders)
        failed += bool(said)
        print(f"{'FAILS' if said else 'HOLDS'}  {name}{': ' if said else ''}{said}", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} hold")
    return min(failed, 1)


if __name__ == "__main__":
    raise SystemExit(main())

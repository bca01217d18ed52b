"""Files of every format with changes in their structure: an MXNetError, or a load whose arrays are what the bytes say.

The bytes are decoded a second time by `helpers.file_decoders`. A case may take 8 times its file and 64 MiB of memory
(looked at on Linux), and a second.
"""

import contextlib
import functools
import json
import os
import random
import tempfile

import numpy as np
from helpers import file_decoders as decoders
from helpers.file_draws import BASES, mutated, mutation

import minigluon as mx
from minigluon import gluon, nd, recordio, sym
from minigluon.base import MXNetError
from minigluon.contrib.text.embedding import CustomEmbedding
from minigluon.image.iterator import read_list
from minigluon.serialization.idx import read_idx

SECONDS = 1.0
IN_CI = 150
MAX_CHANGES = 6
MAX_LENGTH = 1 << 18            # of a file: what a second is for
MEMORY = 8, 64 << 20            # times the file, and bytes besides


def case(seed):
    draw = random.Random(seed)
    format = draw.choice(sorted(BASES))
    return {"format": format, "base": draw.randrange(1 << 20),
            "changes": [mutation(draw, format) for _ in range(draw.choice([0, 1, 1, 1, 2, 3, MAX_CHANGES]))]}


def smaller(case):
    """Without one of the changes."""
    for number in range(len(case["changes"])):
        yield {**case, "changes": case["changes"][:number] + case["changes"][number + 1:]}


def content_of(case):
    """The bytes of a case's file."""
    return _content_of(json.dumps(case))


@functools.lru_cache(maxsize=1)         # so that its making does not count when a case runs again
def _content_of(case):
    case = json.loads(case)
    content, marks = BASES[case["format"]](random.Random(case["base"]))
    for change in case["changes"]:
        content = mutated(content, marks, change)[:MAX_LENGTH]
    return content


def run(case):
    limit_memory()
    return judge(case["format"], content_of(case))


def judge(format, content):
    """What is wrong with how a file of these bytes is read, or None."""
    path = os.path.join(_temporary().name, "file")
    with open(path, "wb") as file:
        file.write(content)
    before = _forget_peak()
    try:
        loaded = READERS[format](path)
    except MXNetError:
        loaded = None
    finding = None if before is None else _memory_finding(_status("VmHWM") - before, len(content))
    if finding is None and loaded is not None:
        with np.errstate(all="ignore"):
            finding = CHECKS[format](content, loaded)
    return finding


def _memory_finding(peak, length):
    allowed = MEMORY[0] * length + MEMORY[1]
    return f"took {peak:,} bytes for a file of {length:,}, and may take {allowed:,}" if peak > allowed else None


# -- reading: what has to be compared, or MXNetError ---------------------------------------------------------------


def read_params(path):
    arrays = nd.load(path)
    with contextlib.suppress(MXNetError):
        gluon.nn.Dense(2).load_parameters(path)
    names = list(arrays) if isinstance(arrays, dict) else []
    return [x.asnumpy() for x in (arrays.values() if names else arrays)], names


def read_records(path):
    with contextlib.closing(recordio.MXRecordIO(path, "r")) as reader:
        return list(iter(reader.read, None))


def read_index(path):
    """The records that the index leads to, among five of 8 bytes."""
    beside = path + ".rec"
    with contextlib.closing(recordio.MXRecordIO(beside, "w")) as writer:
        for number in range(5):
            writer.write(bytes([number] * 8))
    with contextlib.closing(recordio.MXIndexedRecordIO(path, beside, "r")) as reader:
        return {key: reader.read_idx(key) for key in reader.keys}


def read_vectors(path):
    embedding = CustomEmbedding(path)
    table = embedding.idx_to_vec.asnumpy()
    return {token: table[index] for token, index in embedding.token_to_idx.items() if index}


def read_csv(path):
    rows = mx.io.CSVIter(data_csv=path, data_shape=(3,), batch_size=1)
    return np.concatenate([batch.data[0].asnumpy() for batch in rows])


def read_libsvm(path):
    batches = list(mx.io.LibSVMIter(data_libsvm=path, data_shape=(6,), batch_size=1))
    return [np.concatenate([part(batch).asnumpy() for batch in batches])
            for part in (lambda batch: batch.label[0], lambda batch: batch.data[0])]


def read_symbol(path):
    """The graph, asked for all that follows from it without running."""
    graph = sym.load(path)
    for ask in (lambda: graph.infer_shape_partial(data=(2, 4)), lambda: graph.infer_shape_partial(data=(1, 3, 8, 8)),
                lambda: graph.infer_type(data="float32"), lambda: gluon.SymbolBlock(graph, sym.var("data")),
                lambda: sym.load_json(graph.tojson())):
        with contextlib.suppress(MXNetError):
            ask()
    return graph


def read_onnx(path):
    """The parameters of the imported model. Its two inputs are variables, or the second one decides shapes."""
    with contextlib.suppress(MXNetError):
        mx.onnx.import_model(path, constants={"s": np.array([2, 36])})
    _, arguments, auxiliary = mx.onnx.import_model(path)
    return {name: array.asnumpy() for name, array in {**arguments, **auxiliary}.items()}


READERS = {"params": read_params, "idx": read_idx, "record": read_records, "index": read_index, "images": read_list,
           "vectors": read_vectors, "csv": read_csv, "libsvm": read_libsvm, "symbol": read_symbol, "onnx": read_onnx}


# -- comparing ------------------------------------------------------------------------------------------------------


def _same(found, said):
    return found.shape == said.shape and np.array_equal(found, said, equal_nan=found.dtype.kind == "f")


def check_params(content, loaded):
    (arrays, names), (said, said_names) = loaded, decoders.params(content)
    fits = names == said_names and len(arrays) == len(said)
    return None if fits and all(map(_same, arrays, said)) else "other arrays than the bytes say"


def check_idx(content, loaded):
    return None if _same(loaded, decoders.idx(content)) else "another array than the bytes say"


def check_records(content, loaded):
    """A reader may end at a record that is cut off."""
    return None if loaded == decoders.records(content) else "other records than the bytes say"


def check_index(content, loaded):
    said = decoders.index(content[:content.rfind(b"\n") + 1])
    last = None
    with contextlib.suppress(ValueError):       # the key of a line that may be cut off, or whole
        last = int(content[content.rfind(b"\n") + 1:].split(b"\t")[0])
    for key, record in loaded.items():
        place = said.get(key)
        if place is not None and record != bytes([place // 16] * 8) and key != last:
            return f"key {key} is at {place}, and gave {record!r}"
    return None


def check_images(content, loaded):
    said = decoders.images(content)
    same = loaded.keys() == said.keys() and all(
        _same(labels, said[key][0]) and name == said[key][1] for key, (labels, name) in loaded.items())
    return None if same else "another list than the text says"


def check_vectors(content, loaded):
    said = decoders.vectors(content)
    said.pop("<unk>", None)
    same = loaded.keys() == said.keys() and all(_same(loaded[token], said[token]) for token in said)
    return None if same else "other vectors than the text says"


def check_csv(content, loaded):
    return None if _same(loaded, decoders.csv(content).astype(np.float32)) else "other rows than the text says"


def check_libsvm(content, loaded):
    same = all(_same(found, part.astype(np.float32))
               for found, part in zip(loaded, decoders.libsvm(content, 6), strict=True))
    return None if same else "other rows than the text says"


def check_symbol(content, loaded):
    said = {name for _, name in decoders.nodes(content)}
    found = {node.name for node in loaded.nodes()}
    # MXNet before 0.9 did not list auxiliary states: the reader adds them.
    return None if said <= found else f"nodes are missing: {sorted(said - found)[:5]}"


def check_onnx(content, loaded):
    """Parameters that have the name of one of the file's tensors have its numbers, as the package onnx reads them."""
    import onnx
    tensors = {tensor.name: tensor for tensor in onnx.load_model_from_string(content).graph.initializer}
    for name, array in loaded.items():
        said = onnx.numpy_helper.to_array(tensors[name]) if name in tensors else array
        if not _same(array, said.reshape(said.shape or (1,))):
            return f"{name!r} has other numbers than the bytes say"
    return None


CHECKS = {"params": check_params, "idx": check_idx, "record": check_records, "index": check_index,
          "images": check_images, "vectors": check_vectors, "csv": check_csv, "libsvm": check_libsvm,
          "symbol": check_symbol, "onnx": check_onnx}


# -- memory ---------------------------------------------------------------------------------------------------------


@functools.cache
def _temporary():
    """A folder for one file, which goes with the process."""
    return tempfile.TemporaryDirectory()


def limit_memory():
    """Let this process have 6 GiB at most, so that a case cannot take the whole machine."""
    with contextlib.suppress(ImportError):
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _forget_peak():
    """Let the high-water mark fall; the bytes that are resident then, or None where no system tells."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return _status("VmRSS")
    except OSError:
        return None


def _status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":"))

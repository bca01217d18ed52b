"""Hostile files: valid ones with what their formats announce written down, and mutations of both.

`BASES[format](draw)` gives the bytes of a valid file and its *marks*, (offset, struct layout) of each number that
announces something: a count, a length, a type, a place. `mutation` draws a change, and `mutated` makes it.
"""

import gzip
import json
import struct

from .onnx_draws import HAS_ONNX, changed, onnx_file

__all__ = ["BASES", "mutated", "mutation"]

HUGE = [0, 1, 2, 3, 7, 8, 255, 256, 65_535, 1 << 20, 1 << 29, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 40,
        (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
TEXTS = ["0", "-1", "1e309", "nan", "inf", "None", "", "1" * 400, str(1 << 31), str(1 << 63), str(10**9), "0x10",
         "1_0", "True", "(1, 2)", "()", "(" + "1," * 20_000 + ")", "[" * 5000, "\0", "é", "\ud7ff", ",", "\t", "\n",
         " ", "x" * 9000]
_MAGIC = 0xCED7230A


class _Bytes:
    """Bytes that are put together, and the marks in them."""

    def __init__(self):
        self.content, self.marks = b"", []

    def put(self, layout, *values):
        for code, value in zip(layout, values, strict=True):
            self.marks.append((len(self.content), "<" + code))
            self.content += struct.pack("<" + code, value)

    def __iadd__(self, content):
        self.content += content
        return self


def params(draw):
    out, count = _Bytes(), draw.choice([0, 1, 2, 5, 40])
    named = draw.random() < 0.8
    out.put("QQQ", 0x112, 0, count)
    form = draw.choice([0xF993FAC9, 0xF993FACA, 0xF993FAC8, None])
    for _ in range(count):
        shape = [draw.randrange(1, 4) for _ in range(draw.randrange(1, 4))]
        code, size = draw.choice([(0, 4), (1, 8), (2, 2), (3, 1), (4, 4), (5, 1), (6, 8), (7, 1)])
        if form is None:
            out.put("I" + "I" * len(shape), len(shape), *shape)
        else:
            out.put("I", form)
            if form != 0xF993FAC8:
                out.put("i", 0)
            out.put("I" + "q" * len(shape), len(shape), *shape)
        out.put("iii", 1, 0, code)
        for length in shape:
            size *= length
        out += draw.randbytes(size) if code != 7 else bytes(draw.randrange(2) for _ in range(size))
    out.put("Q", count if named else 0)
    for number in range(count if named else 0):
        name = f"arg:w{number}".encode()
        out.put("Q", len(name))
        out += name
    return out.content, out.marks


def idx(draw):
    out, rank = _Bytes(), draw.randrange(1, 5)
    shape = [draw.randrange(1, 6) for _ in range(rank)]
    out += b"\0\0\x08"
    out.put("B", rank)
    size = 1
    for length in shape:
        out.marks.append((len(out.content), ">I"))
        out += struct.pack(">I", length)
        size *= length
    out += draw.randbytes(size)
    return out.content, out.marks


def record(draw):
    out = _Bytes()
    for _ in range(draw.choice([0, 1, 3, 30])):
        _record(out, draw.randbytes(draw.randrange(20)))
        if draw.random() < 0.2:             # one in pieces
            for part in (1, 2, 3):
                _record(out, draw.randbytes(4), part)
    return out.content, out.marks


def _record(out, content, part=0):
    out.put("II", _MAGIC, part << 29 | len(content))
    out += content + bytes(-len(content) % 4)


def index(draw):
    """The index of five records of 8 bytes, or of something else."""
    return "".join(f"{key}\t{16 * key}\n" for key in range(draw.choice([0, 1, 5]))).encode(), []


def images(draw):
    rows = [f"{i}\t" + "".join(f"{draw.randrange(5)}.000000\t" for _ in range(draw.choice([1, 1, 3]))) + f"a/{i}.jpg\n"
            for i in range(draw.choice([0, 1, 20]))]
    return "".join(rows).encode(), []


def vectors(draw):
    width = draw.choice([2, 3, 50])
    rows = [f"word{i} " + " ".join(f"{draw.uniform(-2, 2):.4f}" for _ in range(width))
            for i in range(draw.choice([1, 30]))]
    return "\n".join(([f"{len(rows)} {width}"] if draw.random() < 0.3 else []) + rows).encode() + b"\n", []


def csv(draw):
    rows = [",".join(str(round(draw.uniform(-9, 9), 2)) for _ in range(3)) for _ in range(draw.choice([1, 4, 200]))]
    return "\n".join(rows).encode() + b"\n", []


def libsvm(draw):
    rows = [f"{draw.randrange(3)} " + " ".join(f"{i}:{draw.uniform(-2, 2):.3f}" for i in range(6) if draw.randrange(2))
            for _ in range(draw.choice([1, 4, 100]))]
    return "\n".join(rows).encode() + b"\n", []


# -- symbols --------------------------------------------------------------------------------------------------------

_OPERATORS = [
    ("FullyConnected", 3, {"num_hidden": "4"}), ("Convolution", 3, {"num_filter": "4", "kernel": "(3, 3)"}),
    ("Activation", 1, {"act_type": "relu"}), ("BatchNorm", 5, {}), ("Pooling", 1, {"kernel": "(2, 2)"}),
    ("SliceChannel", 1, {"num_outputs": "2"}), ("Concat", 2, {"num_args": "2", "dim": "0"}), ("identity", 1, {}),
    ("stack", 2, {"num_args": "2"}), ("Reshape", 1, {"shape": "(0, -1)"}), ("tile", 1, {"reps": "(2, 2)"}),
    ("repeat", 1, {"repeats": "2"}), ("one_hot", 1, {"depth": "4"}), ("topk", 1, {"k": "1", "ret_typ": "both"}),
    ("RNN", 3, {"state_size": "2", "num_layers": "1", "mode": "gru"}),
    ("Embedding", 2, {"input_dim": "4", "output_dim": "2"}), ("_arange", 0, {"start": "0", "stop": "4"}),
    ("slice", 1, {"begin": "(0,)", "end": "(1,)"}), ("_split_v2", 1, {"indices": "(0, 1)", "axis": "0"}),
    ("broadcast_to", 1, {"shape": "(2, 2)"}), ("_zeros", 0, {"shape": "(2, 2)"}),
    ("pad", 1, {"mode": "constant", "pad_width": "(0, 0, 0, 0, 1, 1, 1, 1)"}), ("UpSampling", 1, {
        "scale": "2", "sample_type": "nearest", "num_args": "1"}), ("_contrib_MultiBoxPrior", 1, {"sizes": "(0.5,)"}),
    ("add_n", 2, {"num_args": "2"}), ("Dropout", 1, {"p": "0.5"}),
    ("_linspace", 0, {"start": "0", "stop": "1", "num": "4"}),
    ("Crop", 1, {"num_args": "1", "h_w": "(1, 1)"}), ("_eye", 0, {"N": "3"}), ("_histogram", 1, {
        "bin_cnt": "4", "range": "(0, 1)"}), ("Pad", 1, {"mode": "edge", "pad_width": "(0, 0, 0, 0, 1, 1, 1, 1)"})]


def symbol(draw):
    document = _graph(draw, draw.choice([1, 3, 12]), draw.choice([0, 0, 1, 3]))
    document["attrs"] = {"mxnet_version": ["int", draw.choice([10901, 10901, 1200, 901, 800])]}
    return json.dumps(document).encode(), []


def _graph(draw, operators, nested):
    """The object of a graph; nested: loops in loops at its end."""
    declared = {"__shape__": "(2, 4)"} if draw.random() < 0.3 else {}
    nodes = [{"op": "null", "name": "data", "attrs": declared, "inputs": []}]
    for number in range(operators):
        operator, inputs, attrs = draw.choice(_OPERATORS)
        entries = [[draw.randrange(len(nodes)), 0, 0] for _ in range(min(inputs, 1))]
        for extra in range(1, inputs):
            nodes.append({"op": "null", "name": f"n{number}_{extra}", "inputs": []})
            entries.append([len(nodes) - 1, 0, 0])
        nodes.append({"op": operator, "name": f"n{number}", "attrs": dict(attrs), "inputs": entries})
    if nested:
        body = _graph(draw, 1, nested - 1)
        places = [i for i, node in enumerate(body["nodes"]) if node["op"] == "null"]
        entries = [[0, 0, 0]]
        for extra in places[1:]:
            nodes.append({"op": "null", "name": f"loop{nested}_{extra}", "inputs": []})
            entries.append([len(nodes) - 1, 0, 0])
        nodes.append({"op": "_foreach", "name": f"loop{nested}", "inputs": entries, "subgraphs": [body], "attrs": {
            "num_args": str(len(entries) + 1), "num_outputs": "1", "num_out_data": "1", "in_data_locs": "(0,)",
            "in_state_locs": "()", "remain_locs": str(tuple(range(1, len(entries))))}})
    return {"nodes": nodes, "arg_nodes": [i for i, node in enumerate(nodes) if node["op"] == "null"],
            "heads": [[len(nodes) - 1, 0, 0]]}


BASES = {"params": params, "idx": idx, "record": record, "index": index, "images": images, "vectors": vectors,
         "csv": csv, "libsvm": libsvm, "symbol": symbol}
if HAS_ONNX:
    BASES["onnx"] = onnx_file


# -- mutations ------------------------------------------------------------------------------------------------------


def mutation(draw, format):
    """One change, as a list that JSON can hold. Places are shares of a length: they fit whatever came before."""
    kinds = ["flip", "cut", "delete", "repeat", "byte", "swap"]
    if format == "symbol":
        kinds = [*kinds, *["value", "drop", "twice", "nest", "many"] * 3]
    elif format == "onnx":
        kinds += ["field"] * 12 + ["drop field", "twice field"] * 3
    elif format in ("params", "idx", "record"):
        kinds += ["number"] * 12
    else:
        kinds += ["token"] * 10 + ["encoding"]
    if format == "idx":
        kinds += ["gzip", "gzip", "bomb"]
    return [draw.choice(kinds), draw.random(), draw.random(), draw.randrange(1 << 30)]


def mutated(content, marks, change):
    """The bytes after one change."""
    kind, where, what, number = change
    place = int(where * len(content))
    length = 1 + int(what * min(64, len(content) - place))
    if kind == "number" and marks:
        offset, layout = marks[number % len(marks)]
        return _numbered(content, offset, layout, HUGE[int(what * len(HUGE))])
    if kind.endswith("field"):
        return changed(content, [kind.removesuffix(" field"), where, what, number])
    if kind in ("value", "drop", "twice", "nest", "many"):
        return _of_document(content, change)
    return {
        "flip": lambda: content[:place] + bytes([b ^ 1 << number % 8 for b in content[place:place + 1]])
        + content[place + 1:],
        "cut": lambda: content[:place],
        "delete": lambda: content[:place] + content[place + length:],
        "repeat": lambda: content[:place] + content[place:place + length] * (1 + number % 9) ** 3 + content[place:],
        "byte": lambda: content[:place] + bytes([number % 256]) + content[place:],
        "swap": lambda: content[place:] + content[:place],
        "token": lambda: _with_token(content, place, TEXTS[number % len(TEXTS)].encode()),
        "encoding": lambda: content.decode("latin-1").encode(["utf-16", "utf-8-sig", "utf-32", "cp037"][number % 4]),
        "gzip": lambda: gzip.compress(content, 1, mtime=0),
        "bomb": lambda: gzip.compress(content + bytes(number % (8 << 20)), 1, mtime=0),
    }.get(kind, lambda: content)()


def _numbered(content, offset, layout, value):
    size = struct.calcsize(layout)
    number = (value % (1 << 8 * size)).to_bytes(size, "big" if layout[0] == ">" else "little")
    return content[:offset] + number + content[offset + size:] if offset + size <= len(content) else content


def _with_token(content, place, text):
    """Another text in the place of the one between two separators."""
    separators = b" \t\n,:"
    start, end = place, place
    while start > 0 and content[start - 1] not in separators:
        start -= 1
    while end < len(content) and content[end] not in separators:
        end += 1
    return content[:start] + text + content[end:]


def _of_document(content, change):
    """A change of a JSON document at one of its places; of no document none."""
    kind, where, what, number = change
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return content
    places = list(_places(document))
    if not places:
        return content
    holder, key = places[int(where * len(places))]
    value = holder[key]
    if kind == "value":
        wild = [*TEXTS, *HUGE, -1, 1.5, None, True, [], {}, [[0, 0, 0]], [-1, 0, 0], "_slice_grad", "Custom"]
        holder[key] = wild[int(what * len(wild))]
    elif kind == "drop":
        del holder[key]
    elif kind == "twice" and isinstance(holder, list):
        holder.insert(key, value)
    elif kind == "nest":
        for _ in range(number % 200):
            value = [value]
        holder[key] = value
    elif kind == "many" and isinstance(holder, list):
        holder[key:key + 1] = [value] * (number % 2000)
    return json.dumps(document).encode()


def _places(value):
    """(holder, key) of everything in a document. Iterative: a change may have nested it deeply."""
    todo = [value]
    while todo:
        holder = todo.pop()
        items = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
        for key, inner in items:
            yield holder, key
            todo.append(inner)

"""Valid ONNX files, and changes in their structure, for `file_draws`. Drawing needs the package onnx."""

import importlib.util

__all__ = ["HAS_ONNX", "changed", "onnx_file"]

HAS_ONNX = importlib.util.find_spec("onnx") is not None

_HEAD = ('<ir_version: 8, opset_import: ["": {opset}]> graph (float[N, 2, 6, 6] x, int64[2] s) '
         '=> (float[a, b] y) ')
_GRAPHS = [
    '<float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[2] b = {1, 2}> { c = Conv <pads = [1, 1, 0, 0]> (x, w, b) '
    'y = Flatten (c) }',
    '<int64[1] z = {0}, int64[1] m = {-1}> { t = Shape (x) f = Gather <axis = 0> (t, z) '
    'r = Concat <axis = 0> (f, m) y = Reshape (x, r) }',
    '<int64[4] n = {1, 2, 6, 6}, float[1, 2, 1, 1] o = {1, 2}> { e = Expand (o, n) a = Add (x, e) y = Flatten (a) }',
    '<int64[2] n = {4, 36}> { v = ConstantOfShape <value = float[1] {2}> (n) p = Flatten <axis = 2> (x) '
    'y = Add (v, v) }',
    '<float[4] n = {1, 1, 1.5, 0.5}> { r = Resize <mode = "linear"> (x, , n) p = MaxPool <kernel_shape = [2, 2], '
    'strides = [2, 1], ceil_mode = 1> (r) y = Flatten (p) }',
    '<int64 n = {3}, bool t = {1}> { f = Flatten (x) y = Loop (n, t, f) <body = b (int64 i, bool c, float[N, 72] h) '
    '=> (bool d, float[N, 72] k) { d = Identity (c) k = Mul (h, h) }> }',
    '<int64[8] n = {0, 0, 1, 1, 0, 0, 2, 0}, int64[2] k = {1, 1}> { p = Pad (x, n) a, b = Split <axis = 1> (p, k) '
    'c = Transpose <perm = [0, 1, 3, 2]> (a) y = Flatten (c) }',
    '<int64[3] n = {1, 8, 72}, int64[3] m = {1, 8, 2}, int64[1] z = {0}> { f = Flatten (x) v = Unsqueeze (f, z) '
    'w = ConstantOfShape (n) r = ConstantOfShape (m) h, g = LSTM <hidden_size = 2> (v, w, r) y = Squeeze (g) }',
    '<float[1, 3, 3, 2] g = {0, 0, 1, 1, -1, -1, 0, 1, 1, 0, 2, 2, 0.5, 0.25, -3, 1, 0, 0}, int64[4] n = {4, 1, 1, 1}> '
    '{ t = Tile (g, n) s = GridSample <mode = "nearest", padding_mode = "reflection"> (x, t) '
    'e = Einsum <equation = "nchw,nchw->nc"> (s, s) y = Identity (e) }',
    '<int64 n = {3}, int64 z = {0}, int64 a = {2}> { q = SplitToSequence <axis = 2> (x, n) p = SequenceAt (q, z) '
    'c = CumProd <reverse = 1> (p, a) y = Flatten (c) }',
    '<float[1, 2, 4] b = {0, 0, 1, 1, 0, 0, 1, 0.9}, float[1, 1, 2] s1 = {0.5, 0.6}, int64[1] m = {2}, '
    'float[1] o = {0.5}> '
    '{ k = NonMaxSuppression (b, s1, m, o) f = Cast <to = 1> (k) y = Identity (f) }',
    '<int64 n = {8}, int64[1] k = {2}> { f = Flatten (x) v = Unsqueeze (f, k) d = DFT (v, n) y = ReduceSum (d) }',
]
_WILD = [0, 1, -1, 2, 7, 30, 255, 1 << 20, 1 << 31, (1 << 31) - 1, 1 << 40, 1 << 62, (1 << 63) - 1, -(1 << 63),
         -(1 << 31)]
_NAMES = ["", "x", "y", "w", "n", "s", "If", "Loop", "Scan", "Range", "Tile", "Identity", "RNN", "Einsum", "OneHot",
          "SAME_UPPER", "bidirectional", "é", "x" * 5000, "../w"]


def onnx_file(draw):
    """(bytes, []) of a small model."""
    from onnx import parser
    return parser.parse_model(_HEAD.format(opset=draw.choice([11, 13, 18, 23])) + draw.choice(_GRAPHS)
                              ).SerializeToString(), []


def changed(content, change):
    """The file with another value in one of its fields, without it, or with it twice."""
    import onnx
    kind, where, what, _ = change
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except Exception:           # protobuf's error has another class in each of its versions
        return content
    places = list(_places(model))
    if not places:
        return content
    message, field, index = places[int(where * len(places))]
    if kind == "drop":
        message.ClearField(field.name)
    elif index is None:
        _set(lambda value: setattr(message, field.name, value), getattr(message, field.name), what)
    elif kind == "twice":
        getattr(message, field.name).extend([getattr(message, field.name)[index]] * (1 + int(what * 9)))
    elif field.message_type is None:
        items = getattr(message, field.name)
        _set(lambda value: items.__setitem__(index, value), items[index], what)
    return model.SerializeToString()


def _set(put, old, what):
    """Another value of the type of the old one; one that the field does not take changes nothing."""
    if isinstance(old, (str, bytes)):
        name = _NAMES[int(what * len(_NAMES))]
        put(name if isinstance(old, str) else name.encode())
    elif isinstance(old, (int, float)):
        value = _WILD[int(what * len(_WILD))]
        for fitting in (value, value % 23):
            try:
                put(type(old)(fitting))
                return
            except (TypeError, ValueError):     # too large, or not one of an enumeration
                continue


def _places(message):
    """(message, field, index) of all values of a message and those in it; index None where there is one only."""
    todo = [message]
    while todo:
        message = todo.pop()
        for field, value in message.ListFields():
            inner = field.message_type is not None
            if hasattr(value, "extend"):
                for index, item in enumerate(value):
                    yield message, field, index
                    if inner:
                        todo.append(item)
            else:
                if not inner:
                    yield message, field, None
                else:
                    todo.append(value)

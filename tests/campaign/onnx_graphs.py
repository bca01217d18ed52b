"""ONNX files drawn by their structure, some of which ask for far more than their size.

Constants that become large, lengths whose formulas grow, functions that call each other, loops in loops, branches that
disagree, shapes that are declared wrongly, lengths below 0 wherever a shape is declared; and fields of such a file that
are changed, left out or repeated. A file is read or refused, in a second and in little memory.
"""

import contextlib
import importlib.util
import random

from helpers.file_draws import mutated, mutation

import minigluon as mx
from campaign.files import MEMORY, _forget_peak, _status
from minigluon.base import MXNetError

SECONDS = 1.0
IN_CI = 40
NUMBERS = [0, 1, -1, 2, 7, 64, 65, 1000, 1 << 16, 1 << 24, 1 << 31, 1 << 40, (1 << 62) + 1, -(1 << 63)]
HEAD = '<ir_version: 10, opset_import: ["": {opset}, "own": 1]> graph (float[{shape}] x) => (float[{shape}] y) '


def missing():
    """The package that draws and reads."""
    return None if importlib.util.find_spec("onnx") else "onnx is not installed"


def case(seed):
    """A text that onnx's parser reads, and shapes to change in it."""
    draw = random.Random(seed)
    kind = draw.choice(list(KINDS))
    shape = ", ".join(draw.choice(["N", "M", "K", "2", "3"]) for _ in range(draw.choice([1, 2, 2, 3])))
    head = HEAD.format(opset=draw.choice([11, 13, 18, 21]), shape=shape)
    negative = [draw.random(), draw.choice(NUMBERS)] if draw.random() < 0.3 else None
    text = head + KINDS[kind](draw)
    changes = [mutation(draw, "onnx") for _ in range(draw.choice([0, 0, 0, 1, 1, 2, 4]))]
    return {"kind": kind, "text": text, "negative": negative, "changes": changes}


def smaller(case):
    """Yields the case without one of its changes."""
    if case["negative"] is not None:
        yield {**case, "negative": None}
    for number in range(len(case["changes"])):
        yield {**case, "changes": case["changes"][:number] + case["changes"][number + 1:]}


def run(case):
    """What is no MXNetError and no network."""
    from onnx import parser
    try:
        model = parser.parse_model(case["text"])
    except parser.ParseError as error:
        return f"the front writes what onnx does not read: {error}"
    if case["negative"] is not None:
        where, value = case["negative"]
        dims = list(_dims(model.graph))
        if dims:
            dims[int(where * len(dims))].dim_value = value
    content = model.SerializeToString()
    for change in case["changes"]:
        content = mutated(content, [], change)
    before = _forget_peak()
    with contextlib.suppress(MXNetError):
        mx.onnx.import_model(content)
    took = _status("VmHWM") - before
    allowed = MEMORY[0] * len(content) + MEMORY[1]
    return f"{took} bytes of memory for {len(content)}" if took > allowed else None


def _dims(graph):
    for entry in (*graph.input, *graph.output, *graph.value_info):
        yield from entry.type.tensor_type.shape.dim
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _dims(attribute.g)


# -- kinds ----------------------------------------------------------------------------------------------------------

def constants(draw):
    """Range, Expand, ConstantOfShape, Tile, OneHot, Pad of numbers that are known."""
    a, b, c = (draw.choice(NUMBERS) for _ in range(3))
    body = draw.choice([
        "r = Range (a, b, c) y = Identity (x)", "k = Shape (x) r = Range (a, b, c) y = Add (x, x)",
        "s = Concat <axis = 0> (p, q) r = ConstantOfShape (s) y = Identity (x)",
        "s = Concat <axis = 0> (p, q) r = Expand (p, s) t = Neg (r) y = Identity (x)",
        "s = Concat <axis = 0> (p, q) e = Reshape (c, one) u = Concat <axis = 0> (e, e) t = Expand (e, p) "
        "r = Tile (p, e) y = Identity (x)",
        "r = OneHot (p, b, v) y = Identity (x)", "r = Range (a, b, c) g = GatherND (r, p) y = Identity (x)"])
    return (f"<int64 a = {{{a}}}, int64 b = {{{b}}}, int64 c = {{{c}}}, int64[1] p = {{{b}}}, int64[1] q = {{{c}}}, "
            f"int64[1] one = {{1}}, int64[2] v = {{0, 1}}> {{ {body} }}")


def doubled(draw):
    """A list of lengths that is joined to itself again and again, or multiplied by itself."""
    lines, name = ["t0 = Shape (x)"], "t0"
    for k in range(1, draw.choice([5, 20, 60])):
        how = draw.choice([f"t{k} = Concat <axis = 0> ({name}, {name})", f"t{k} = Mul ({name}, {name})",
                           f"t{k} = Add ({name}, {name})", f"t{k} = Div ({name}, t0)", f"t{k} = Mul ({name}, t0)",
                           f"t{k} = Mod ({name}, t0)"])
        lines.append(how)
        name = f"t{k}"
    lines += draw.choice([[], [f"i = ReduceProd <keepdims = 1> ({name})"],
                          [f"z = ConstantOfShape ({name})"], [f"r = Range (a, {name}, b)"]])
    return "<int64 a = {0}, int64 b = {1}> { " + " ".join([*lines, "y = Identity (x)"]) + " }"


def polynomials(draw):
    """Sums of lengths to a power."""
    lines = ["s = Shape (x)", "i = ReduceSum <keepdims = 1> (s)", "h = ReduceProd <keepdims = 1> (s)",
             "t0 = Add (s, h)"]
    for k in range(1, draw.choice([3, 8, 30])):
        other = draw.choice([f"t{k - 1}", "h", "s", "t0"])
        lines.append(f"t{k} = {draw.choice(['Mul', 'Mul', 'Add', 'Div', 'Mod', 'Sub'])} (t{k - 1}, {other})")
    return "{ " + " ".join([*lines, "y = Identity (x)"]) + " }"


def flattened(draw):
    """The same with arrays, whose shapes grow."""
    lines, name = [], "x"
    for k in range(draw.choice([4, 12, 40])):
        square = f"u{k} = Flatten <axis = 0> ({name}) t{k} = Transpose (u{k}) v{k} = MatMul (t{k}, u{k})"
        lines.append(draw.choice([square, f"v{k} = Concat <axis = 0> ({name}, {name})",
                                  f"v{k} = Flatten <axis = 0> ({name})"]))
        name = f"v{k}"
    return "{ " + " ".join([*lines, "y = Identity (x)"]) + " }"


def loops(draw, depth=0):
    """Loops in loops, each of a known number of rounds."""
    rounds, deep = draw.choice([2, 10, 64, 65, 1 << 20]), draw.choice([1, 2, 3, 5, 8])

    def body(level):
        if level == deep:
            return f"d{level} = Identity (c{level}) k{level} = Mul (h{level}, h{level})"
        return f"d{level} = Identity (c{level}) " + inner(level + 1, f"h{level}", f"k{level}")

    def inner(level, source, made):
        return (f"{made} = Loop (n, t, {source}) <body = b{level} (int64 i{level}, bool c{level}, float[N] h{level}) "
                f"=> (bool d{level}, float[N] k{level}) {{ {body(level)} }}>")
    return f"<int64 n = {{{rounds}}}, bool t = {{1}}> {{ {inner(0, 'x', 'y')} }}"


def functions(draw):
    """Functions that call the one before once, twice or three times; or themselves."""
    count, often = draw.choice([3, 12, 40]), draw.choice([1, 2, 3])
    texts = ['<opset_import: ["": 18], domain: "own"> f0 (a) => (b) { b = Neg (a) }']
    for k in range(1, count):
        calls = " ".join(f"c{j} = own.f{k - 1} (c{j - 1})" for j in range(1, often + 1)).replace("(c0)", "(a)")
        texts.append(f'<opset_import: ["": 18, "own": 1], domain: "own"> f{k} (a) => (b) '
                     f"{{ {calls} b = Identity (c{often}) }}")
    if draw.random() < 0.2:
        texts.append('<opset_import: ["": 18, "own": 1], domain: "own"> me (a) => (b) { b = own.me (a) }')
        return "{ y = own.me (x) } " + " ".join(texts)
    return f"{{ y = own.f{count - 1} (x) }} " + " ".join(texts)


def subgraphs(draw):
    """Branches in branches and scans, which read names from outside, and whose results may differ."""
    def computed(name, source):
        return draw.choice([f"{name} = Neg ({source})", f"{name} = Add ({source}, x)", f"{name} = Shape ({source})",
                            f"{name} = Flatten ({source})", f"{name} = Concat <axis = 0> ({source}, x)",
                            f"{name} = Cast <to = {draw.choice([1, 7, 9, 11])}> ({source})",
                            f"{name} = Squeeze ({source})", f"{name} = Identity (absent)"])

    def branch(name, source, depth):
        kind = draw.choice(["float[N]", "float[M, 2]", "int64[3]", "float", "float[N, N]"])
        body = computed(f"r{name}", source) if depth == 0 else written(f"r{name}", source, depth - 1)
        return f"g{name} () => ({kind} r{name}) {{ {body} }}"

    def written(name, source, depth):
        if draw.random() < 0.6:
            test = draw.choice(["c", "k", "t"])
            return (f"{name} = If ({test}) <then_branch = {branch(name + 't', source, depth)}, "
                    f"else_branch = {branch(name + 'e', source, depth)}>")
        count = draw.choice([0, 1, 1, 1, 2, -1, 1 << 40])
        body = computed(f"o{name}", f"i{name}") if depth == 0 else written(f"o{name}", f"i{name}", depth - 1)
        return (f"z{name}, {name} = Scan <num_scan_inputs = {count}, body = s{name} (float[N] h{name}, float[N] "
                f"i{name}) => (float[N] j{name}, float[N] o{name}) {{ j{name} = Add (h{name}, i{name}) {body} }}> "
                f"({source}, {source})")
    return ("<bool t = {1}, float[1] one = {1}> { s = ReduceSum <keepdims = 0> (x) k = Cast <to = 9> (s) "
            f"c = Identity (t) {written('a', 'x', draw.choice([0, 1, 3, 6]))} y = Identity (x) }}")


def declared(draw):
    """Shapes and types that are declared for results, inputs and constants, and do not fit."""
    lengths = ["N", "M", "0", "1", "2", "3", str(1 << 20), str(1 << 31), str(1 << 40), str((1 << 62) + 1)]
    types = ["float", "float16", "double", "int64", "int8", "bool", "uint64", "string", "int4"]

    def kind():
        rank = draw.choice([0, 1, 1, 2, 3, 9, 40])
        inner = f"[{', '.join(draw.choice(lengths) for _ in range(rank))}]" if rank else draw.choice(["", "[]"])
        text = draw.choice(types) + inner
        return draw.choice([text] * 6 + [f"seq({text})", f"optional({text})", f"optional(seq({text}))"])

    used = ["Add (x, x)", "MatMul (x, x)", "Reshape (x, w)", "Expand (x, w)", "Gather (x, w)",
            "Concat <axis = 0> (x, x)", "Conv (x, x)", "Flatten (x)", "Transpose (x)", "Slice (x, w, w)",
            "Split (x, w)", "Tile (x, w)", "Pad (x, w)", "ConstantOfShape (w)", "Squeeze (x, w)", "NonZero (x)",
            "TopK (x, w)", "OneHot (x, w, w)", "LSTM <hidden_size = 2> (x, x, x)", "Resize (x, , , w)",
            'Einsum <equation = "i,j->ij"> (x, x)', "SequenceConstruct (x, x)", "Range (w, w, w)", "Loop (w, , x)",
            "Gelu (x)", "LayerNormalization (x, w)", "GroupNormalization <num_groups = 2> (x, w, w)",
            "CenterCropPad (x, w)", "SoftmaxCrossEntropyLoss (x, w)", "MeanVarianceNormalization (x)",
            "Attention (x, x, x)", "GridSample (x, x)", "DFT (x)", "Col2Im (x, w, w)"]
    names = [f"v{number}" for number in range(draw.choice([1, 2, 4]))]
    lines, values = [], ["x", "w"]
    for name in names:
        call = draw.choice(used)
        for old in ("x", "w"):
            call = call.replace(f"({old},", f"({draw.choice(values)},") if draw.random() < 0.5 else call
        lines.append(f"{name} = {call}")
        values.append(name)
    told = ", ".join(f"{kind()} {name}" for name in names if draw.random() < 0.8)
    numbers = ", ".join(str(draw.choice(NUMBERS)) for _ in range(3))
    return (f"<int64[3] w = {{{numbers}}}{', ' + told if told else ''}> {{ {' '.join(lines)} "
            f"y = {draw.choice(['Identity (x)', f'Identity ({names[-1]})', f'Add (x, {names[-1]})'])} }}")


def operators(draw):
    """Any operators of ONNX, with attributes and known inputs of any size and sign."""
    from onnx import defs
    kinds = sorted({schema.name for schema in defs.get_all_schemas() if schema.domain == "" and not schema.deprecated})
    values, lines = ["x", "x", "w", "s", "p", "f", "e"], []
    for number in range(draw.choice([1, 1, 2, 3])):
        schema = defs.get_schema(draw.choice(kinds))
        attributes = [(name, made) for name, entry in sorted(schema.attributes.items())
                      if (entry.required or draw.random() < 0.4)
                      and (made := _attribute(draw, entry.type.name)) is not None]
        count = draw.randint(schema.min_input, max(schema.min_input, min(schema.max_input, 6)))
        results = [f"v{number}_{k}" for k in range(draw.randint(schema.min_output, max(schema.min_output, min(
            schema.max_output, 3))))]
        shown = f" <{', '.join(f'{name} = {made}' for name, made in attributes)}>" if attributes else ""
        lines.append(f"{', '.join(results)} = {schema.name}{shown} "
                     f"({', '.join(draw.choice(values) for _ in range(count))})")
        values += results
    ints = ", ".join(str(draw.choice(NUMBERS)) for _ in range(3))
    return (f"<int64[3] w = {{{ints}}}, int64 s = {{{draw.choice(NUMBERS)}}}, int64[1] p = {{{draw.choice(NUMBERS)}}}, "
            f"float[2] f = {{{draw.choice(FLOATS)}, {draw.choice(FLOATS)}}}, float[1, 2, 1, 1] e = {{1, 2}}> "
            f"{{ {' '.join(lines)} y = Identity (x) }}")


FLOATS = ["0", "1", "0.5", "-1", "2.5", "1e9", "-1e30", "1e-30"]
STRINGS = ["", "linear", "nearest", "cubic", "SAME_UPPER", "VALID", "bidirectional", "reverse", "sum", "none", "mean",
           "i,j->ij", "...->", "ij,jk", "add", "mul", "Tanh", "half_pixel", "align_corners", "é"]


def _attribute(draw, kind):
    """The text of a value of an attribute's type, None for types that this front does not draw."""
    one = {"INT": lambda: str(draw.choice(NUMBERS)), "FLOAT": lambda: str(float(draw.choice(FLOATS))),
           "STRING": lambda: f'"{draw.choice(STRINGS)}"'}
    if kind in one:
        return one[kind]()
    if kind.endswith("S") and kind[:-1] in one:
        return f"[{', '.join(one[kind[:-1]]() for _ in range(draw.choice([1, 2, 2, 3, 4])))}]"
    return None


KINDS = {"constants": constants, "doubled": doubled, "polynomials": polynomials, "flattened": flattened, "loops": loops,
         "functions": functions, "subgraphs": subgraphs, "declared": declared, "operators": operators}

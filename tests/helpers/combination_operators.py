"""The lines of `combination_grammar`: each function adds one to a scope, or none where nothing fits."""

import math

__all__ = ["OPERATORS", "PLAIN"]

UNARY = ["relu", "relu", "sigmoid", "tanh", "exp", "log", "sqrt", "square", "abs", "negative", "softsign", "erf", "sin",
         "reciprocal", "identity", "BlockGrad", "expm1", "log1p", "cbrt", "sign", "round", "ones_like", "zeros_like",
         "gamma", "rsqrt", "cos", "arctan", "hard_sigmoid", "logical_not", "shape_array"][:-2]
SCALAR = ["{} + 1.5", "2 - {}", "{} * -0.5", "{} / 2", "{} ** 2", "1 / {}", "F.maximum({}, 0.25)", "{} > 0.5", "{} * 1",
          "{} * 0", "{} == 1", "F.clip({}, -0.5, 0.5)", "F.LeakyReLU({}, act_type='elu', slope=0.5)",
          "F.LeakyReLU({}, act_type='gelu')", "F.LeakyReLU({}, act_type='leaky', slope=0.1)",
          "F.Activation({}, act_type='softrelu')", "F.smooth_l1({}, scalar=1.0)"]
BINARY = ["{} + {}", "{} - {}", "{} * {}", "{} / {}", "F.broadcast_maximum({}, {})", "F.broadcast_minimum({}, {})",
          "F.broadcast_hypot({}, {})", "F.where({0} > 0, {0}, {1})", "F.broadcast_greater({}, {})",
          "F.elemwise_mul({}, {})", "F.add_n({}, {}, {})"]
REDUCING = ["sum", "mean", "max", "min", "prod", "prod", "nansum", "nanprod", "norm"]


def unary(scope, x):
    scope.let(f"F.{scope.draw.choice(UNARY)}({x})", *scope.values[x])


def scalar(scope, x):
    scope.let(scope.draw.choice(SCALAR).format(x), *scope.values[x])


def binary(scope, x):
    y = scope.pick(lambda *spec: list(spec) == list(scope.values[x]))
    scope.let(scope.draw.choice(BINARY).format(x, y, x), *scope.values[x])


def weighted(scope, x):
    """With a weight of the same last axes."""
    shape, dtype = scope.values[x]
    if 0 in shape:
        return
    w = scope.weight(shape[scope.draw.randrange(len(shape)):], dtype)
    name = scope.draw.choice(["mul", "mul", "add", "sub", "div", "maximum"])
    scope.let(f"F.broadcast_{name}({x}, {w})", shape, dtype)


def reduce(scope, x):
    shape, dtype = scope.values[x]
    axis, name, keep = scope.draw.randrange(len(shape)), scope.draw.choice(REDUCING), scope.draw.random() < 0.5
    keep = keep or len(shape) == 1
    out = [1 if k == axis else n for k, n in enumerate(shape)] if keep else shape[:axis] + shape[axis + 1:]
    if shape[axis]:
        scope.let(f"F.{name}({x}, axis={axis}, keepdims={keep})", out, dtype)


def softmax(scope, x):
    axis = scope.draw.randrange(len(scope.shape(x)))
    name = scope.draw.choice(["softmax", "log_softmax", "softmin", "L2Normalization", "cumsum"])
    if name == "L2Normalization":
        mode = scope.draw.choice(["instance", "channel"])
        if len(scope.shape(x)) > 2 or mode == "instance":
            scope.let(f"F.L2Normalization({x}, mode='{mode}')", *scope.values[x])
    else:
        scope.let(f"F.{name}({x}, axis={axis})", *scope.values[x])


# -- shapes ---------------------------------------------------------------------------------------------------------

def view(scope, x):
    """The same elements in another shape."""
    shape, dtype = scope.values[x]
    size = math.prod(shape)
    ways = [(f"F.reshape({x}, shape=(-1,))", [size]), (f"F.expand_dims({x}, axis=0)", [1, *shape])]
    if shape[0]:
        ways.append((f"F.Flatten({x})", [shape[0], size // shape[0]]))
    if size:
        first = scope.draw.choice([n for n in range(1, size + 1) if size % n == 0])
        ways.append((f"F.reshape({x}, shape=({first}, -1))", [first, size // first]))
        ways.append((f"{x}.reshape(({first}, -1))", [first, size // first]))
    if shape[0] == 1 and len(shape) > 1:
        ways.append((f"F.squeeze({x}, axis=0)", shape[1:]))
    if len(shape) > 1:
        ways.append((f"F.transpose({x})", shape[::-1]))
        ways.append((f"F.swapaxes({x}, dim1=0, dim2=1)", [shape[1], shape[0], *shape[2:]]))
        ways.append((f"F.reshape({x}, shape=(-3, -2))", [shape[0] * shape[1], *shape[2:]]) if size else ways[0])
    expression, out = scope.draw.choice(ways)
    if len(out) < 6:
        scope.let(expression, out, dtype)


def cut(scope, x):
    shape, dtype = scope.values[x]
    axis = scope.draw.randrange(len(shape))
    n = shape[axis]
    if n < 2:
        return
    begin = scope.draw.randrange(n - 1)
    end = scope.draw.randint(begin + 1, n)
    scope.let(f"F.slice_axis({x}, axis={axis}, begin={begin}, end={end})",
              [*shape[:axis], end - begin, *shape[axis + 1:]], dtype)


def split(scope, x):
    """Several results, some of which nothing may read."""
    shape, dtype = scope.values[x]
    axis = scope.draw.randrange(len(shape))
    if not 2 <= shape[axis] <= 4:
        return
    outs = [(scope.new(), [*shape[:axis], 1, *shape[axis + 1:]], dtype) for _ in range(shape[axis])]
    scope.add(f"{', '.join(n for n, *_ in outs)} = F.split({x}, num_outputs={shape[axis]}, axis={axis})", *outs)


def ordered(scope, x):
    """topk or sort, or the moments."""
    shape, dtype = scope.values[x]
    axis = scope.draw.randrange(len(shape))
    if not math.prod(shape):
        return
    what = scope.draw.choice(["topk", "sort", "moments"])
    if what == "topk":
        v, i = scope.new(), scope.new("i")
        out = [*shape[:axis], 1, *shape[axis + 1:]]
        scope.add(f"{v}, {i} = F.topk({x}, axis={axis}, k=1, ret_typ='both')", (v, out, dtype))
    elif what == "sort":
        scope.let(f"F.sort({x}, axis={axis})", shape, dtype)
    elif len(shape) > 1:
        out = shape[:axis] + shape[axis + 1:]
        outs = [(scope.new(), out, dtype) for _ in range(2)]
        scope.add(f"{outs[0][0]}, {outs[1][0]} = F.moments({x}, axes=({axis},))", *outs)


def join(scope, x):
    shape, dtype = scope.values[x]
    y = scope.pick(lambda *spec: list(spec) == [shape, dtype])
    axis = scope.draw.randrange(len(shape))
    if shape[axis] <= 6:
        scope.let(f"F.concat({x}, {y}, dim={axis})", [*shape[:axis], 2 * shape[axis], *shape[axis + 1:]], dtype)


def move(scope, x):
    shape, dtype = scope.values[x]
    axis = scope.draw.randrange(len(shape))
    ways = [(f"F.reverse({x}, axis={axis})", shape), (f"F.tile({x}, reps=(2,))", [*shape[:-1], 2 * shape[-1]]),
            (f"F.broadcast_like({x}, {x})", shape), (f"F.slice_like({x}, {x})", shape)]
    if shape[axis] == 1:
        ways.append((f"F.broadcast_axis({x}, axis={axis}, size=3)", [*shape[:axis], 3, *shape[axis + 1:]]))
    if math.prod(shape) <= 48:
        scope.let(*scope.draw.choice(ways), dtype)


def cast(scope, x):
    """To another type, an operator in it, and back."""
    shape, dtype = scope.values[x]
    other = scope.draw.choice(["float16", "float16", "float64", "float32"])
    inner = scope.let(scope.draw.choice([f"F.cast({x}, dtype='{other}')", f"{x}.astype('{other}')"]), shape, other)
    if scope.draw.random() < 0.5:
        inner = scope.let(f"{inner} * 2", shape, other)
    scope.let(f"F.cast({inner}, dtype='{dtype}')", shape, dtype)


# -- indices --------------------------------------------------------------------------------------------------------

def indexed(scope, x):
    """Rows by indices that are values, in range or not."""
    shape, dtype = scope.values[x]
    y = scope.pick(lambda s, t: t == dtype and len(s) == 1 and 0 < s[0] < 7)
    draw = scope.draw
    if y is None or not shape[0] or len(shape) > 4:
        return
    what = draw.choice(["take", "take", "Embedding", "pick", "one_hot"])
    if what == "take":
        mode = draw.choice(["clip", "wrap", "clip", "raise"])
        scope.let(f"F.take({x}, {y}, mode='{mode}')", [*scope.shape(y), *shape[1:]], dtype)
    elif what == "Embedding":
        w = scope.weight([3, 2], dtype)
        scope.let(f"F.Embedding({y}, {w}, input_dim=3, output_dim=2, dtype='{dtype}')", [*scope.shape(y), 2], dtype)
    elif what == "pick" and len(shape) == 2 and shape[0] == scope.shape(y)[0] and shape[1]:
        scope.let(f"F.pick({x}, {y}, axis=1)", [shape[0]], dtype)
    elif what == "one_hot":
        scope.let(f"F.one_hot({y}, depth=3, dtype='{dtype}')", [*scope.shape(y), 3], dtype)


def refused(scope, x):
    """An operator whose kernel leaves some values to the reference, behind a view of what the block takes."""
    draw, x = scope.draw, scope.draw.choice(scope.inputs)
    shape, dtype = scope.values[x]
    size = math.prod(shape)
    if size < 2:
        return
    last = draw.choice([n for n in range(2, size + 1) if size % n == 0])
    rows = size // last
    what = draw.choice(["prod", "prod", "nanprod", "norm", "L2Normalization", "Convolution"])
    if what == "Convolution" and rows > 1:
        view = scope.let(f"F.reshape({x}, shape=(1, 1, {rows}, {last}))", [1, 1, rows, last], dtype)
        w = scope.weight([2, 1, 2, 2], dtype)
        scope.let(f"F.Convolution({view}, {w}, no_bias=True, kernel=(2, 2), num_filter=2)",
                  [1, 2, rows - 1, last - 1], dtype)
        return
    view = scope.let(draw.choice([f"F.reshape({x}, shape=(-1, {last}))", f"{x}.reshape((-1, {last}))"]), [rows, last],
                     dtype)
    if what == "L2Normalization":
        scope.let(f"F.L2Normalization({view})", [rows, last], dtype)
    elif what != "Convolution":
        scope.let(f"F.{what}({view}, axis=1)", [rows], dtype)


# -- layers ---------------------------------------------------------------------------------------------------------

def connect(scope, x):
    shape, dtype = scope.values[x]
    units, flatten = scope.draw.randint(1, 3), scope.draw.random() < 0.7 or len(shape) < 3
    width = math.prod(shape[1:]) if flatten else shape[-1]
    if not width or len(shape) < 2:
        return
    w, out = scope.weight([units, width], dtype), [shape[0], units] if flatten else [*shape[:-1], units]
    bias = "no_bias=True" if scope.draw.random() < 0.4 else scope.weight([units], dtype)
    scope.let(f"F.FullyConnected({x}, {w}, {bias}, num_hidden={units}, flatten={flatten})", out, dtype)


def image(scope, x):
    """Convolution, Deconvolution, pooling of four axes."""
    shape, dtype = scope.values[x]
    if len(shape) != 4 or not math.prod(shape) or shape[2] < 2 or shape[3] < 2:
        return
    draw, (n, c, h, w) = scope.draw, shape
    what = draw.choice(["convolution", "pooling", "pooling", "deconvolution", "up"])
    if what == "convolution":
        weight, filters = scope.weight([2, c, 2, 2], dtype), 2
        pad = draw.choice([0, 1])
        scope.let(f"F.Convolution({x}, {weight}, no_bias=True, kernel=(2, 2), pad=({pad}, {pad}), num_filter=2)",
                  [n, filters, h - 1 + 2 * pad, w - 1 + 2 * pad], dtype)
    elif what == "pooling":
        kind, stride = draw.choice(["max", "max", "avg", "sum"]), draw.choice([1, 2])
        out = [n, c, (h - 2) // stride + 1, (w - 2) // stride + 1]
        scope.let(f"F.Pooling({x}, kernel=(2, 2), stride=({stride}, {stride}), pool_type='{kind}')", out, dtype)
    elif what == "deconvolution":
        weight = scope.weight([c, 1, 2, 2], dtype)
        scope.let(f"F.Deconvolution({x}, {weight}, no_bias=True, kernel=(2, 2), num_filter=1)", [n, 1, h + 1, w + 1],
                  dtype)
    elif h * w <= 16:
        scope.let(f"F.UpSampling({x}, scale=2, sample_type='nearest')", [n, c, 2 * h, 2 * w], dtype)


def normalized(scope, x):
    """BatchNorm with statistics that training overwrites, LayerNorm, InstanceNorm."""
    shape, dtype = scope.values[x]
    if len(shape) < 2 or math.prod(shape) < 4 or 1 in shape[1:2] and shape[0] == 1:
        return
    what = scope.draw.choice(["BatchNorm", "BatchNorm", "LayerNorm"])
    if what == "BatchNorm":
        g, b = scope.weight([shape[1]], dtype), scope.weight([shape[1]], dtype)
        mean, var = (scope.weight([shape[1]], dtype, frozen=True) for _ in range(2))
        fix = scope.draw.random() < 0.3
        scope.let(f"F.BatchNorm({x}, {g}, {b}, {mean}, {var}, fix_gamma={fix}, eps=0.1)", shape, dtype)
    else:
        g, b = scope.weight([shape[-1]], dtype), scope.weight([shape[-1]], dtype)
        scope.let(f"F.LayerNorm({x}, {g}, {b}, eps=0.1)", shape, dtype)


def product(scope, x):
    shape, dtype = scope.values[x]
    if len(shape) == 2 and math.prod(shape):
        scope.let(f"F.dot({x}, {x}, transpose_b=True)", [shape[0], shape[0]], dtype)
    elif len(shape) == 3 and math.prod(shape):
        scope.let(f"F.batch_dot({x}, {x}, transpose_a=True)", [shape[0], shape[2], shape[2]], dtype)


def loss(scope, x):
    """Layers with a gradient of their own, and losses that read labels."""
    shape, dtype = scope.values[x]
    y = scope.pick(lambda s, t: t == dtype and s == shape[:1])
    if len(shape) != 2 or not math.prod(shape):
        return
    what = scope.draw.choice(["MakeLoss", "softmax_cross_entropy", "SoftmaxOutput", "LinearRegressionOutput"])
    if what == "MakeLoss":
        scope.let(f"F.MakeLoss({x}, grad_scale=0.5)", shape, dtype)
    elif what == "LinearRegressionOutput":
        scope.let(f"F.LinearRegressionOutput({x}, {x})", shape, dtype)
    elif y is not None and what == "SoftmaxOutput":
        scope.let(f"F.SoftmaxOutput({x}, {y})", shape, dtype)
    elif y is not None:
        scope.let(f"F.softmax_cross_entropy({x}, {y})", [1], dtype)


# -- control flow ---------------------------------------------------------------------------------------------------

BODIES = ["{} * {}", "F.tanh({} + {})", "{0} - {1} * {1}", "F.relu({}) + {}"]


def loop(scope, x):
    """foreach over the first axis; the body may read a weight of the block."""
    shape, dtype = scope.values[x]
    if len(shape) < 2 or not math.prod(shape):
        return
    draw, w = scope.draw, scope.weight(shape[1:], dtype)
    f, item, state, y, last = scope.new("f"), scope.new("t"), scope.new("t"), scope.new(), scope.new()
    first = draw.choice([f"{w} * 0", w, f"F.sum({x}, axis=0)"])
    body = draw.choice(BODIES).format(item, state)
    scope.add(f"def {f}({item}, {state}):\n    {state} = {body}\n    return {draw.choice([state, f'{item} * {w}'])}, "
              f"{state}\n{y}, {last} = F.contrib.foreach({f}, {x}, {first})", (y, shape, dtype),
              (last, shape[1:], dtype))


def while_loop(scope, x):
    """A loop whose steps a counter tells, or a value."""
    shape, dtype = scope.values[x]
    if not math.prod(shape):
        return
    draw, w = scope.draw, scope.weight(shape, dtype)
    c, f, i, t, s = scope.new("f"), scope.new("f"), scope.new("t"), scope.new("t"), scope.new()
    cond = draw.choice([f"{i} < 2", f"({i} < 1) + (F.sum({t}) < 8)"])      # `nd` gives no rows without a step
    n, rows = scope.new("n"), scope.new()
    scope.add(f"def {c}({i}, {t}):\n    return {cond}\ndef {f}({i}, {t}):\n"
              f"    {t} = {draw.choice(BODIES).format(t, w)}\n    return {t}, [{i} + 1, {t}]\n"
              f"{rows}, [{n}, {s}] = F.contrib.while_loop({c}, {f}, [F.zeros_like(F.sum({x})), {x}], max_iterations=3)",
              (rows, [3, *shape], dtype), (s, shape, dtype))


def branch(scope, x):
    """A layer in each branch."""
    shape, dtype = scope.values[x]
    if not math.prod(shape):
        return
    draw, (w, v) = scope.draw, [scope.weight(shape[-1:], dtype) for _ in range(2)]
    y = scope.new()
    cond = draw.choice([f"F.sum({x}) > 1", f"F.max({x}) > 0.5"])
    one, other = [draw.choice(["F.broadcast_mul({}, {})", "F.relu(F.broadcast_add({}, {}))"]).format(x, k)
                  for k in (w, v)]
    scope.add(f"{y} = F.contrib.cond({cond}, lambda: {one}, lambda: {other})", (y, shape, dtype))


OPERATORS = [unary, unary, scalar, scalar, binary, binary, weighted, weighted, weighted, reduce, reduce, softmax, view,
             view, view, cut, split, ordered, refused, refused, join, move, cast, indexed, connect, connect, image,
             image, image,
             normalized, product, loss, loop, while_loop, branch]


# -- lines of the parent --------------------------------------------------------------------------------------------

def plain_scalar(scope, x):
    scope.let(scope.draw.choice(["{} * 2", "{} + 1", "1 - {}"]).format(x), *scope.values[x])


def part(scope, x):
    """A view of the first rows, for nd one of the same memory."""
    shape, dtype = scope.values[x]
    if shape[0] > 1:
        scope.let(f"F.slice_axis({x}, axis=0, begin=0, end={shape[0] - 1})", [shape[0] - 1, *shape[1:]], dtype)


PLAIN = [plain_scalar, view, view, part, binary, cast]

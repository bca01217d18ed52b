"""Nets with functions of `mx.np` that minigluon and MXNet 1.9.1 both make, export and import.

`build(mx, name)` returns the net with either as mx; `NAMES` are the expressions that its `hybrid_forward` computes, and
the names of some whole networks.
"""

import re

import numpy as onp

__all__ = ["DRAWN", "NAMES", "build", "inputs_of", "values"]

# variable: its array
_ARRAYS = {
    "a": ((3, 4), "float32"), "b": ((3, 4), "float32"), "c": ((4,), "float32"), "d": ((4, 2), "float32"),
    "s": ((3, 3), "float32"), "v": ((5,), "float32"), "t": ((2, 3, 4), "float32"), "u": ((2, 4, 3), "float32"),
    "i": ((2,), "int64"), "j": ((3, 4), "int32"), "k": ((3, 4), "int64"), "m": ((3, 4), "bool"), "o": ((2, 3, 1),
    "float32")}

_UNARY = """abs absolute arccos arcsin arcsinh arctan arctanh cbrt ceil cos cosh degrees exp expm1 fabs fix floor log
    log10
    log1p log2 logical_not negative radians reciprocal rint sign sin sinh sqrt square tan tanh trunc isnan isinf
    isfinite
    isposinf isneginf"""
_BINARY = """add subtract multiply divide true_divide mod remainder power maximum minimum hypot copysign ldexp arctan2
    equal not_equal greater greater_equal less less_equal"""
_FUNCTIONS = """all(a)|all(a, axis=1, keepdims=True)|any(m, axis=(0, 1))|sum(a)|sum(t, axis=0)|prod(a)|mean(j)
sum(t, axis=(0, 1), keepdims=True, dtype='float64')|prod(a, axis=1)|mean(a)|mean(a, axis=1, dtype='float64')|max(a)
sum(m)|max(a, axis=1)|min(a, axis=-1, keepdims=True)|amax(a)|amin(a)|var(a)|var(a, axis=1, ddof=1)|std(a, axis=0)
argmax(a)
argmax(a, axis=1)|argmin(a, axis=0)|cumsum(a)|cumsum(a, axis=1, dtype='float64')|append(a, b)|append(a, b, axis=1)
zeros_like(a)|ones_like(a, dtype='int32')|full_like(a, 3)|full_like(j, 2.5, dtype='float32')|array_split(v, 2)
array_split(a, [1, 2], axis=1)|split(a, 3)|split(a, [1, 2], axis=1)|hsplit(a, 2)|hsplit(a, [1])|vsplit(a, 3)
dsplit(t, 2)
atleast_1d(c)|atleast_2d(c)|atleast_3d(a, c)|average(a)|average(a, axis=1, weights=b)|linalg.norm(a, ord=1, axis=(0, 1))
average(a, axis=0, weights=b, returned=True)|bincount(i)|broadcast_to(c, (3, 4))|clip(a, 0.3, 0.6)|clip(a, None, 0.5)
clip(j, 1, 2)|column_stack((c, c))|concatenate([a, b])|concatenate([a, b], axis=1)|concatenate([a, c], axis=None)
copy(a)
stack([a, b])|stack([a, b], axis=-1)|vstack([a, b])|row_stack([a, c])|hstack([a, b])|dstack([a, b])|delete(a, 1, axis=0)
delete(a, slice(0, 2), axis=1)|diag(c)|diag(a, k=1)|diagflat(c, k=1)|diagonal(t)|diagonal(a, offset=1, axis1=1, axis2=0)
diff(a)|diff(a, n=2, axis=0)|dot(a, d)|dot(c, c)|dot(t, d)|ediff1d(a)|ediff1d(a, to_end=1.5, to_begin=c)|matmul(t, u)
einsum('ij,jk->ik', a, d)|einsum('bij,bjk->bik', t, u, optimize=True)|expand_dims(a, 1)|expand_dims(a, -1)|flip(a)
flip(a, axis=1)|flip(a, axis=(0, 1))|flipud(a)|fliplr(a)|histogram(a, 5, (0, 1))|inner(a, b)|insert(a, 1, 2.5, axis=0)
insert(a, 1, c, axis=0)|matmul(a, d)|matmul(t, d)|moveaxis(t, 0, 2)|moveaxis(t, (0, 1), (1, 0))|nan_to_num(a)
nan_to_num(a, nan=1.0, posinf=2, neginf=3)|outer(c, v)|pad(a, ((1, 1), (2, 2)))|pad(a, ((1, 1), (2, 2)), mode='edge')
pad(a, ((1, 1), (2, 1)), mode='reflect')|pad(a, ((1, 1), (2, 2)), mode='symmetric')|percentile(a, 30)|ravel(a)
percentile(a, c, axis=1, interpolation='lower', keepdims=True)|quantile(a, 0.5)|quantile(a, c, axis=0)|polyval(c, v)
repeat(a, 2)|repeat(a, 2, axis=1)|reshape(a, (2, -1))|reshape(a, 12)|resize(a, (2, 3))|around(a, 1)|round(a)|round_(a)
roll(a, 1)|roll(a, (1, 2), axis=(0, 1))|roll(a, 1, axis=1)|rot90(a)|rot90(a, 2, (1, 0))|sort(a)|sort(a, axis=0)
argsort(a)
argsort(v, axis=None)|squeeze(o)|squeeze(o, axis=2)|swapaxes(t, 0, 2)|take(a, i)|take(a, i, axis=1, mode='clip')
tile(a, 2)
take(a, i, axis=0, mode='wrap')|tensordot(a, b)|tensordot(a, d, axes=1)|tensordot(a, b, axes=((0, 1), (0, 1)))|trace(a)
tile(a, (2, 1, 3))|trace(t, offset=1, axis1=1, axis2=2)|transpose(t)|transpose(t, (1, 2, 0))|tril(a)|tril(t, k=1)
unravel_index(i, (2, 3))|vdot(a, b)|where(m, a, b)|where(m, a, 1)|where(m, 1.5, c)|where(m, 1, 2)|bitwise_not(j)
linalg.inv(s)
bitwise_and(j, j)|bitwise_or(j, 2)|bitwise_xor(j, 3)|lcm(k, 4)|linalg.cholesky(s)|linalg.det(s)|linalg.eigvalsh(s)
linalg.norm(a)|linalg.norm(a, axis=1)|linalg.norm(a, ord=1, axis=1, keepdims=True)
linalg.norm(a, ord='fro', axis=(0, 1))
linalg.norm(a, ord=float('inf'), axis=1)|linalg.norm(a, ord=3, axis=1)|linalg.norm(t, ord='fro', axis=(1, 2))
shape_array
linalg.norm(a, keepdims=True)|linalg.norm(a, axis=(0, 1))|linalg.norm(a, ord='inf', axis=(0, 1))|linalg.pinv(a)
linalg.slogdet(s)|linalg.solve(s, s)|linalg.tensorinv(s, ind=1)|linalg.tensorsolve(s, s[0])|a + zeros((3, 4))
a + ones(4)
a + full((3, 4), 7)|a + arange(4)|a + arange(1, 5, 1)|eye(3) + s|eye(3, 3, 1) * s|identity(3) + s|linspace(0, 1, 4) + a
linspace(0, 1, 4, endpoint=False) + a|logspace(0, 1, 4) + a|blackman(4) + a|hamming(4) + a|hanning(4) + a
indices((3, 4)) * a|zeros((), dtype='int32') + a|rad2deg(a)|unique(v)|nonzero"""
_EXTENSION = """activation(a, act_type='relu')|arange_like(a, axis=1)|batch_dot(t, t, transpose_b=True)|batch_flatten(t)
cast(a, dtype='int32')|dropout(a, p=0.3)|embedding(i, a, input_dim=3, output_dim=4)|erf(a)|erfinv(a)|gamma(a)|gammaln(a)
fully_connected(a, b, num_hidden=3, no_bias=True, flatten=False)|layer_norm(a, c, c)|leaky_relu(a, act_type='gelu')
log_softmax(a, axis=1)|one_hot(i, depth=3)|relu(a)|reshape(t, (-2, -1))|reshape(t, (-5, -4))
reshape(t, (-2, -6, 1, -1, -4))
reshape(t, (-4, -6, 2, 2), reverse=True)|reshape_like(a, b)|shape_array(a)|sigmoid(a)|slice(a, begin=(1,), end=(3,))
smooth_l1(a, scalar=1.0)|softmax(a)|topk(a, k=2)|topk(a, k=2, ret_typ='both')|pick(a, c, axis=0)
constraint_check(a > 0)"""
_OPERATORS = """a + 1|1 - a|a - 0.5|a * b|a / 2|2 / a|a % 0.3|2 % a|a ** 2|2 ** a|-a|a == b|a != 1|a < 0.5|a <= b|1 > a
a[0]|a[1:3]|a[:, 1]|a[::2]|a[0:2, 1]|a[1, 2]|a[:, ::-1]|t[1, :, 2]|a[-2:]|a.T|a.reshape(2, 6)|a.reshape((4, -1))
a.transpose(1, 0)|a.astype('int32')|a.sum(axis=1)|a.mean()|a.flatten()|o.squeeze()|a.dot(d)|a.max()|a.argmax()|a.std()
a.var()|a.clip(0.3, 0.5)|a.take(i)|a.repeat(2)|a.swapaxes(0, 1)|a.cumsum()|a.argsort()|a.round()|a.prod()|a.min(axis=0)
j + 1|j + 1.5|j * 0.5|j / 2|j / j|j * a|j + j|m * a|m + 1|m == m|j > 1|(a > 0.5) * a|k + 1|k / 2|j.mean()|j.sum()
m.sum()
a * 2 + b / 3 - c|a - a.mean(axis=1, keepdims=True)"""
_RANDOM = """uniform(0, 1, (2, 3))|uniform(a, 2.0)|uniform()|normal(0, 1, (2, 3))|normal(a, b)|normal(size=3)|rand(2, 3)
randint(0, 5, size=(2,))|randint(0, 5, size=(2,), dtype='int32')|beta(1, 2, size=3)|choice(5, 3)
choice(5, 3, replace=False)
exponential(1, size=2)|exponential(a)|gamma(1, 2, size=2)|gumbel(0, 1, size=2)|gumbel(a)|logistic(0, 1, size=2)
lognormal(0, 1, size=2)|pareto(1, size=2)|pareto(a)|rayleigh(1, size=2)|weibull(2, size=2)|power(2.0, size=2)"""
DRAWN = [f"random.{text} + 0 * c[0]" for text in _RANDOM.replace("\n", "|").split("|")]


def _names():
    for name in _UNARY.split():
        yield f"{name}(a)"
    for name in _BINARY.split():
        yield from (f"{name}({operands})" for operands in ("a, c", "a, 2", "a, 0.25", "0.75, a"))
    for text in _FUNCTIONS.replace("\n", "|").split("|"):
        if "(" in text:
            yield text
    yield from ("npx." + text for text in _EXTENSION.replace("\n", "|").split("|"))
    yield from _OPERATORS.replace("\n", "|").split("|")
    yield from DRAWN


def perceptron(mx):
    nn = mx.gluon.nn

    class Net(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.hidden = nn.Dense(8, activation="relu")
                self.norm = nn.LayerNorm()
                self.weight = self.params.get("weight", shape=(8, 2))

        def hybrid_forward(self, F, x, weight):
            hidden = self.norm(self.hidden(x))
            return F.np.dot(hidden / (1 + F.np.abs(hidden).mean(axis=1, keepdims=True)), weight)

    return Net(prefix="perceptron_")


def attention(mx):
    """Attention with several heads, with a mask by length, and the positions added, as the book writes it."""
    nn = mx.gluon.nn

    class Net(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                for name in ("query", "key", "value"):
                    setattr(self, name, nn.Dense(6, use_bias=False, flatten=False, in_units=4))
                self.output = nn.Dense(4, flatten=False, in_units=6)

        def heads(self, F, x):
            x = F.npx.reshape(x, (-2, -2, 2, -1))
            return F.npx.reshape(F.np.transpose(x, (0, 2, 1, 3)), (-5, -4))

        def hybrid_forward(self, F, x):
            x = x + F.np.expand_dims(F.np.sin(F.np.arange(3)), axis=1)
            queries, keys, values = (self.heads(F, f(x)) for f in (self.query, self.key, self.value))
            scores = F.npx.batch_dot(queries, keys, transpose_b=True) / 3 ** 0.5
            mixed = F.npx.batch_dot(F.npx.softmax(scores, axis=-1), values)
            mixed = F.np.transpose(F.npx.reshape(mixed, (-6, -1, 2, -2, -2)), (0, 2, 1, 3))
            return self.output(F.npx.reshape(mixed, (-2, -2, -1))) + x

    return Net(prefix="attention_")


def convolutions(mx):
    nn = mx.gluon.nn

    class Block(mx.gluon.HybridBlock):
        def __init__(self, channels, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.first, self.second = (nn.Conv2D(channels, 3, padding=1, in_channels=channels) for _ in range(2))
                self.norm = nn.BatchNorm(in_channels=channels)

        def hybrid_forward(self, F, x):
            return F.npx.relu(self.norm(self.second(F.npx.relu(self.first(x)))) + x)

    class Net(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.input = nn.Conv2D(4, 3, in_channels=2)
                self.block, self.pool, self.output = Block(4), nn.GlobalAvgPool2D(), nn.Dense(3, in_units=8)

        def hybrid_forward(self, F, x):
            x = self.input(x)
            x = F.np.concatenate([self.block(x), F.np.maximum(x, 0.1)], axis=1)
            return F.npx.log_softmax(self.output(self.pool(x)), axis=-1)

    return Net(prefix="convolutions_")


def losses(mx):
    """A loss, a metric and statistics of one batch."""
    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x, y):
            error = F.np.sum((x - y) ** 2, axis=-1) / 2
            chosen = F.np.argmax(x, axis=-1) == F.np.argmax(y, axis=-1)
            far = F.np.where(error > F.np.mean(error), F.np.log1p(error), error)
            parts = F.np.split(x, 3, axis=0)
            return error.mean(), chosen.mean(), far, F.np.stack([p[0] for p in parts]), F.np.linalg.norm(x - y)

    return Net(prefix="losses_")


_NETS = {"perceptron": (perceptron, [(3, 5)]), "attention": (attention, [(2, 3, 4)]),
         "convolutions": (convolutions, [(2, 2, 6, 5)]), "losses": (losses, [(3, 4), (3, 4)])}
NAMES = [*_NETS, *dict.fromkeys(_names())]


def _variables(name):
    words = re.findall(r"\b[a-z]\b(?!\s*=[^=])", re.sub(r"'[^']*'", "", name))
    return sorted({word for word in words if word in _ARRAYS})


def build(mx, name):
    """The net, not initialized."""
    if name in _NETS:
        return _NETS[name][0](mx)
    variables, code = _variables(name), compile(name, name, "eval")

    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, *args):
            functions = {key: getattr(F.np, key) for key in code.co_names if hasattr(F.np, key)}
            return eval(code, {**functions, "npx": F.npx, **dict(zip(variables, args))})

    return Net(prefix="net_")


def inputs_of(name):
    """The arrays, positive, mostly below 1."""
    specs = [(shape, "float32") for shape in _NETS[name][1]] if name in _NETS else \
        [_ARRAYS[v] for v in _variables(name)]
    rng = onp.random.default_rng(len(name))
    made = []
    for shape, dtype in specs:
        array = rng.uniform(0.2, 0.9, shape)
        if shape == (3, 3):
            array = array @ array.T + onp.eye(3)
        made.append(rng.integers(0, 3, shape).astype(dtype) if dtype[:3] == "int" else array > 0.5 if dtype == "bool"
                    else array.astype(dtype))
    return made


def values(name, shape):
    """A value for a parameter, by its name."""
    rng = onp.random.default_rng(len(name))
    low = 0.5 if name.endswith(("gamma", "var")) else -0.5
    return rng.uniform(low, low + 1, shape).astype("float32")

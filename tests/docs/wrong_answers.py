"""Answers to the exercises of chapters that people give and that are wrong. Their checks must refuse them.

tests/scripts/run_doc.py runs each at the end of its chapter, with the names of the chapter.
"""

WRONG = {
    "0-the-whole-thing": [
        # the derivative takes the input for the result
        """
class tanh(Op):
    forward = np.tanh
    def gradient(self, F, g, out, a):
        return [g - g * a * a]

check_1(tanh)
""",
        # collect_params does not look into a list
        """
class Sequential(Block):
    def __init__(self):
        super().__init__()
        self.blocks = []
    def add(self, *blocks):
        self.blocks += blocks
    def hybrid_forward(self, F, x):
        for block in self.blocks:
            x = block(x)
        return x

check_2(Sequential)
""",
        # the first derivative
        """
def second(f, x):
    with record():
        y = f(x)
    return gradients(nd, y, [x])[0]

check_3(second)
""",
        # looks at the second factor alone
        """
def without_ones(heads):
    new = {}
    for value in behind(heads):
        inputs = [new[x] for x in value.inputs]
        if isinstance(value.op, mul) and isinstance(inputs[1].op, constant) and inputs[1].op.value == 1:
            new[value] = inputs[0]
        else:
            new[value] = Symbol(value.op, inputs) if inputs else value
    return [new[head] for head in heads]

check_4(without_ones)
""",
        # leaves out products with any constant
        """
def without_ones(heads):
    new = {}
    for value in behind(heads):
        inputs = [new[x] for x in value.inputs]
        others = [x for x in inputs if not isinstance(x.op, constant)]
        drop = isinstance(value.op, mul) and len(others) == 1
        new[value] = others[0] if drop else Symbol(value.op, inputs) if inputs else value
    return [new[head] for head in heads]

check_4(without_ones)
""",
        # the loss of the digits, not their outputs; no bend between the layers
        "check_5(Plan([loss(net(data), label)], feed))",
        "check_5(Plan([net.output(net.hidden(data))], feed))",
    ],
    "1-one-operator": [
        # a matrix that data is multiplied by from the left
        "check_1(([(None, None, 5), (5, 7), (7,)], [(None, None, 7)]))",
        # the default of flatten
        "check_1(([(None, None, 5), (7, 5), (7,)], [(None, 7)]))",
        # other numbers, one shape
        "check_2(lambda tanh: [tanh(nd.array([i])) for i in range(10)])",
        # the slope alone
        """
@register("data")
class steep_hinge(Elementwise):
    keeps = ("outputs",)
    forward = hinge.forward

    def gradient(self, F, out_grads, inputs, outputs):
        return 0 - (outputs[0] != 0)

check_3(steep_hinge)
""",
        # gives up where anything is unknown
        """
@register("a", "b")
class shy_product(outer_product):
    def infer_shape(self, a, b):
        return [a, b], [None if a is None or b is None else (a[0], b[0])]

check_4(shy_product)
""",
    ],
    "2-reverse-mode": [
        # the same sum, not the one from the other end
        "check_1(lambda x: (np.cumsum(x), lambda g: (np.cumsum(g),)))",
        # the mean is a constant
        "check_2(lambda x: (x - x.mean(axis=0), lambda g: (g,)))",
        # g and w have changed places
        "check_3(lambda x, w: (np.correlate(x, w, 'valid'), lambda g: (np.correlate(g, w, 'full'),"
        " np.correlate(x, g, 'valid'))))",
        # a vector-Jacobian product
        """
def vjp(f, x, d):
    x.attach_grad()
    with autograd.record():
        y = f(x)
    y.backward(d)
    return x.grad

check_4(vjp)
""",
    ],
    "3-the-tape": [
        # the slope of exp from its input
        "check_1({'exp': ('inputs',), 'square': ('inputs',), 'sqrt': ('outputs',), 'dot': ('inputs',),"
        " 'broadcast_add': ('shapes',)})",
        # the product rule in place of the difference's
        "check_2(exp, lambda a, b: Node(a.value - b.value, (a, b), lambda g: (g, g)))",
        "check_2(lambda node: Node(np.exp(node.value), (node,), lambda g: (g,)), minus)",
        # each batch replaces the one before
        """
def last(f, v, batches):
    v.attach_grad()
    for batch in batches:
        with autograd.record():
            y = f(v, batch)
        y.backward()
    return v.grad / len(batches)

check_3(last)
""",
        # gradients of the last use are still there
        """
def going_on(f, v, batches):
    if v.grad is None:
        v.attach_grad("add")
    for batch in batches:
        with autograd.record():
            y = f(v, batch)
        y.backward()
    return v.grad / len(batches)

check_3(going_on)
""",
        "check_4(nd.round)",
    ],
    "4-deferred-initialization-and-names": [
        # everything in a net has its prefix
        "check_1(['net_dense0_weight', 'net_hybridsequential0_dense0_weight', 'net_dense1_weight', 'net_head_weight'])",
        # one count for the whole tree
        "check_1(['net_dense0_weight', 'net_hybridsequential0_dense1_weight', 'net_dense2_weight', 'head_weight'])",
        # the shape of the whole batch
        """
class BatchScale(Scale):
    def infer_shape(self, x):
        self.factor.shape = x.shape

check_2(BatchScale)
""",
        # full names
        """
def by_name(source, target):
    values = source.collect_params()
    for name, param in target.collect_params().items():
        if name in values:
            param.set_data(values[name].data())

check_3(by_name)
""",
    ],
    "5-a-training-step": [
        # the gradients of the step before are still there
        """
def no_zeros(net, trainer, x, y, parts):
    net.collect_params().setattr("grad_req", "add")
    for part_of_x, part_of_y in zip(gluon.utils.split_data(x, parts), gluon.utils.split_data(y, parts)):
        backward_of(net, part_of_x, part_of_y)
    trainer.step(x.shape[0])

check_1(no_zeros)
""",
        # 'write' keeps the last part
        """
def last_part(net, trainer, x, y, parts):
    for part_of_x, part_of_y in zip(gluon.utils.split_data(x, parts), gluon.utils.split_data(y, parts)):
        backward_of(net, part_of_x, part_of_y)
    trainer.step(x.shape[0])

check_1(last_part)
""",
        # along the gradient
        """
class Ascent(mx.optimizer.Optimizer):
    def update(self, index, weight, grad, state):
        lr, wd, _ = self._begin(index)
        weight[:] = weight + lr * nd.sign(grad)

check_2(Ascent)
""",
        # without decay
        """
class NoDecay(mx.optimizer.Optimizer):
    def update(self, index, weight, grad, state):
        lr, wd, _ = self._begin(index)
        weight[:] = weight - lr * nd.sign(grad)

check_2(NoDecay)
""",
        # the warm-up is counted twice
        """
class Late(mx.lr_scheduler.LRScheduler):
    def after_warmup(self, num_update):
        return self.base_lr * (self.warmup_steps / (num_update + self.warmup_steps))**0.5

check_3(Late)
""",
        # the array is the weight itself
        """
class NoCopy(Averaged):
    def __init__(self, params, decay):
        super().__init__(params, decay)
        self._means = {name: param.data() for name, param in params.items()}

check_4(NoCopy)
""",
    ],
    "6-data": [
        # all alike
        """
class Even(data.Sampler):
    def __init__(self, weights, count):
        self._size, self._count = len(weights), count

    def __iter__(self):
        return iter(np.random.randint(self._size, size=self._count).tolist())

    def __len__(self):
        return self._count

check_1(Even)
""",
        # everything at once
        """
def eager(dataset, lists, batchify_fn, workers):
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(lambda indices: batchify_fn([dataset[i] for i in indices]), lists)

check_2(eager)
""",
        # sorted, and left so
        """
def sorted_lists(lengths, batch_size):
    order = np.argsort(lengths, kind="stable").tolist()
    return [order[start:start + batch_size] for start in range(0, len(order), batch_size)]

check_3(sorted_lists)
""",
        # ends at the damage
        """
def until_damage(content):
    found, place = [], 0
    while place + 8 <= len(content):
        _, length = struct.unpack_from("<II", content, place)
        if place + 8 + length > len(content):
            break
        found.append(content[place + 8:place + 8 + length])
        place += 8 + length + -length % 4
    return found

check_4(until_damage)
""",
    ],
    "7-symbols": [
        "check_1(lambda text: Counter(node['op'] for node in json.loads(text)['nodes']))",
        "check_2(['a', 'b', 'c', 'fc_bias', 'fc_weight'])",
        "check_2(['b', 'a', 'fc_weight', 'fc_bias', 'c', 'b'])",
        "check_2(['a', 'b', 'fc_weight', 'fc_bias', 'c'])",
        # on top of the old head
        "check_3(lambda symbol, classes: sym.FullyConnected(symbol, num_hidden=classes, name='head'))",
        # a node is a value
        """
def one_value(symbol, arrays):
    values = {}
    for node in symbol.nodes():
        if node.op is None:
            values[node] = arrays[node.name]
            continue
        results = node.op.forward(*[values[parent] for parent, _ in node.inputs])
        values[node] = results[0] if isinstance(results, (list, tuple)) else results
    return [values[node] for node, _ in symbol.heads]

check_4(one_value)
""",
    ],
    "8-shape-inference": [
        "check_1(total, {'b': (2, 3)})",
        # one way only
        """
def downwards(a, b, out):
    columns = a[1] if a[1] is not None else b[1]
    rows = None if None in (a[0], b[0]) else a[0] + b[0]
    return (a[0], columns), (b[0], columns), (rows, columns)

check_2(downwards)
""",
        """
def without_empty(symbol, **known):
    shapes, _, _ = symbol.infer_shape_partial(**known)
    return [name for name, shape in zip(symbol.list_arguments(), shapes) if 0 in shape]

check_3(without_empty)
""",
    ],
    "9-hybridize": [
        "check_1(2)",
        "check_1(6)",
        # a chain
        "check_2(lambda F, x: F.relu(F.tanh(x)) * 2)",
        # a value that is used twice, but by operators that join
        """
def used_twice(F, x):
    y = F.tanh(x)
    return y * F.relu(y)

check_2(used_twice)
""",
        "check_3(2)",
        "check_3(11)",
        # each operator by itself
        """
def not_chained(symbol):
    for node in reversed(symbol.nodes()):
        if node.op is not None:
            inputs, outputs = [sym.Symbol([pair]) for pair in node.inputs], [sym.Symbol([(node, 0)])]
            gradient = node.op.gradient(sym, [sym.ones_like(outputs[0])], inputs, outputs)
    return gradient

check_4(not_chained)
""",
    ],
    "10-hybridize-pitfalls": [
        # in the method that is traced
        """
def at_the_trace(net):
    calls, inner = [], net.hybrid_forward

    def counted(F, *args, **kwargs):
        calls.append(None)
        return inner(F, *args, **kwargs)
    net.hybrid_forward = counted
    return lambda: len(calls)

check_1(at_the_trace)
""",
        # short ones as well
        "check_2(lambda self, F, x: F.broadcast_div(x, F.norm(x, keepdims=True)))",
        # lengths of the first batch
        "check_3(lambda self, F, x: x.reshape((2, 3, -1)))",
        # an attribute
        """
class Frozen(gluon.HybridBlock):
    temperature = 1

    def cool(self, value):
        self.temperature = value

    def hybrid_forward(self, F, x):
        return x / self.temperature

check_4(Frozen)
""",
        # an attribute, and a trace for each value
        """
class Retraced(gluon.HybridBlock):
    temperature = 1

    def cool(self, value):
        self.temperature = value
        self.hybridize()

    def hybrid_forward(self, F, x):
        return x / self.temperature

check_4(Retraced)
""",
    ],
    "11-one-kernel": [
        "check_1(lambda shape: 4 * int(np.prod(shape)))",
        "check_1(lambda shape: int(np.prod(shape)) * 5 // 4)",
        # into a view of the input
        """
def into_the_input(x):
    total = x[:, :, ::2, ::2]
    total += x[:, :, ::2, 1::2] + x[:, :, 1::2, ::2] + x[:, :, 1::2, 1::2]
    return total / 4

check_2(into_the_input)
""",
        "check_2(lambda x: 0.25 * sum(x[:, :, i::2, j::2].astype('float64') for i in (0, 1) for j in (0, 1)))",
        "check_3(smallest.replace('a < b || a != a', 'a < b'))",
    ],
    "12-the-plan-executor": [
        # counts what is prepared
        """
class Prepared(CountsRuns):
    def prepare(self, op, inputs, outputs, train, rng):
        self.count[op.name] += 1
        return ReferenceBackend.prepare(self, op, inputs, outputs, train, rng)

check_1(Prepared)
""",
        # imperative calls alone
        """
class CountsCalls(CountsRuns):
    def prepare(self, op, inputs, outputs, train, rng):
        reference = ReferenceBackend.prepare(self, op, inputs, outputs, train, rng)
        return Kernel(super().prepare(op, inputs, outputs, train, rng).run, reference.write, reference.scratch)

check_1(CountsCalls)
""",
        # the product goes to x
        "check_2(lambda: [(call, (0, 1, 2, 4)), (second, (4, 3, 4))])",
        # since the process began
        """
def all_declined(run):
    run()
    return {name for name, backend, reason in declined if backend == "accel"}

check_3(all_declined)
""",
    ],
    "13-two-devices-and-many-machines": [
        # the mean of a part
        """
def of_a_part(net, trainer, x, y, contexts):
    xs, ys = (gluon.utils.split_and_load(values, contexts, even_split=False) for values in (x, y))
    with autograd.record():
        losses = [loss_fn(net(part), label) for part, label in zip(xs, ys)]
    autograd.backward(losses)
    trainer.step(len(xs[0]))

check_1(of_a_part)
""",
        # what does not divide is dropped
        """
def cut_off(net, trainer, x, y, contexts):
    count = max(len(x) // len(contexts) * len(contexts), len(contexts))
    x, y = (np.resize(values, (count, *values.shape[1:])) for values in (x, y))
    backward_of_parts(net, x, y, contexts)
    trainer.step(count)

check_1(cut_off)
""",
        # the ring again
        "check_2(lambda arrays: (ring(arrays)[0], 2 * (len(arrays) - 1)))",
        # for powers of two alone, where the sum is right
        """
def even(arrays):
    values, rounds, distance = list(arrays), 0, 1
    while distance < len(values):
        values = [value + values[rank ^ distance] if rank ^ distance < len(values) else value
                  for rank, value in enumerate(values)]
        distance, rounds = 2 * distance, rounds + 2
    return values, rounds

check_2(even)
""",
        # the bytes of one device
        """
class OneDevice(mx.kv.KVStore):
    bytes = 0

    def pushpull(self, key, value, out=None, priority=0):
        self.bytes += sum(4 * of_devices[0].size for of_devices in value)
        super().pushpull(key, value, out, priority)

check_3(OneDevice)
""",
        # counts, and adds nothing up
        """
class CountsAlone(mx.kv.KVStore):
    bytes = 0

    def pushpull(self, key, value, out=None, priority=0):
        self.bytes += sum(4 * grad.size for of_devices in value for grad in of_devices)

check_3(CountsAlone)
""",
        # ten per cent of the step, where it is of the whole
        "check_4(lambda machines, network: math.ceil(10 * ring_seconds(machines, size, **network) / 0.0025))",
    ],
    "14-one-kernel-on-the-gpu": [
        "check_1(lambda n, tile: (blocks_for(n, tile) * tile - n)**2)",
        "check_2(PLAIN)",
        # a shift
        """
def shifted(values):
    for step in (16, 8, 4, 2, 1):
        values = [values[i] + (values[i + step] if i + step < 32 else 0) for i in range(32)]
    return values

check_3(shifted)
""",
    ],
    "15-attention-in-one-pass": [
        # sees all keys
        "check_1(lambda query, key, value: in_blocks(query, key, value)[0])",
        # computes all scores, and masks half of them
        """
def masked(query, key, value):
    scores = np.where(np.tri(length, dtype=bool), query @ key.swapaxes(-1, -2) / np.float32(size ** 0.5), -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ value

check_1(masked)
""",
        # the weights
        "check_2(lambda heads, length, size: 4 * heads * length * (size + length))",
        # as if both had the same largest scores and totals
        "check_3(lambda one, other: (one[0] + other[0]) / 2)",
        # weighs with the totals alone, each below another largest score
        "check_3(lambda one, other: (one[0] * one[2] + other[0] * other[2]) / (one[2] + other[2]))",
    ],
    "16-one-array-two-interfaces": [
        # over all axes
        "check_1(lambda F, a, axis: F.max(a) - F.min(a))",
        # the largest element only
        "check_1(lambda F, a, axis: F.max(a, axis=axis))",
        # not within lists
        "check_2(lambda arg: arg.array if isinstance(arg, View) else arg)",
        # a tuple becomes a list
        """
def unwrapped(arg):
    if isinstance(arg, View):
        return arg.array
    return [unwrapped(part) for part in arg] if isinstance(arg, (list, tuple)) else arg

check_2(unwrapped)
""",
        # a sum of booleans is not a boolean
        "check_3(lambda dtype: dtype)",
        # as NumPy has it, whose sums of small integers are wider
        "check_3(lambda dtype: onp.ones(3, dtype).sum().dtype)",
    ],
}

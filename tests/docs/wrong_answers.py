"""Answers to the exercises of chapters that people give and that are wrong. Their checks must refuse them.

tests/tools/run_doc.py runs each at the end of its chapter, with the names of the chapter.
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
}

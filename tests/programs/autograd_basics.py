"""The chapters on arrays and autograd: gradients, control flow, grad_req, detach, heads, Function, second order."""

from ._tools import draw


def run(mx, show):
    nd, autograd = mx.nd, mx.autograd
    x = nd.arange(4).reshape((4, 1))
    x.attach_grad()
    with autograd.record():
        y = 2 * nd.dot(x.T, x)
    y.backward()
    show("quadratic", [x.grad, (x.grad - 4 * x).norm().asscalar(), y])
    show("modes", [autograd.is_training(), autograd.is_recording()])
    with autograd.record():
        inside = [autograd.is_training(), autograd.is_recording()]
        with autograd.pause(), autograd.train_mode():
            inside += [autograd.is_training(), autograd.is_recording()]
        with autograd.predict_mode():
            inside += [autograd.is_training(), autograd.is_recording()]
    show("inside", inside)

    def f(a):
        b = a * 2
        while b.norm().asscalar() < 1000:
            b = b * 2
        if b.sum().asscalar() > 0:
            c = b
        else:
            c = 100 * b
        return c

    for value in (0.7, -3.0):
        a = nd.array([value])
        a.attach_grad()
        with autograd.record():
            c = f(a)
        c.backward()
        show(f"control flow {value}", [a.grad, a.grad == c / a])

    x = nd.array([[1, 2], [3, 4]])
    x.attach_grad(grad_req="add")
    for i in range(3):
        with autograd.record():
            z = (x * x).sum() * i
        z.backward()
    show("add", x.grad)
    x.attach_grad()
    with autograd.record():
        y = x * 2
        z = y * x
    z.backward(nd.array([[10, 1], [0.1, 0.01]]), retain_graph=True)
    first = x.grad.copy()
    z.backward()
    show("heads", [first, x.grad])
    with autograd.record():
        y = x * x
        u = y.detach()
        z = u * x
        w = nd.stop_gradient(y) * x
    autograd.backward([z, w])
    show("detached", [x.grad == 2 * u, z])

    class Sigmoid(autograd.Function):
        def forward(self, x):
            y = 1 / (1 + nd.exp(-x))
            self.save_for_backward(y)
            return y

        def backward(self, dy):
            y, = self.saved_tensors
            return dy * y * (1 - y)

    class Clamp(autograd.Function):
        """Two inputs, two outputs, and NumPy inside."""

        def __init__(self, low):
            super().__init__()
            self.low = low

        def forward(self, a, b):
            return nd.array(a.asnumpy().clip(self.low)), a + b

        def backward(self, da, dsum):
            return da * 3 + dsum, dsum

    x.attach_grad()
    with autograd.record():
        y = Sigmoid()(x)
        loss = (y * y).sum()
    loss.backward()
    show("function", [y, x.grad])
    a, b = nd.array([1.0, 2.0]), nd.array([3.0, -1.0])
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        low, total = Clamp(1.5)(a, b)
        out = (low * total).sum()
    out.backward()
    show("two of each", [low, total, a.grad, b.grad])

    x = nd.array([0.5, 1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = nd.log(x)
        dx = autograd.grad(y, x, create_graph=True, retain_graph=True)[0]
    dx.backward()
    show("second order", [dx, x.grad])
    grads = [nd.zeros((3,)) for _ in range(2)]
    variables = [nd.array(draw(1, 3)), nd.array(draw(2, 3))]
    autograd.mark_variables(variables, grads)
    with autograd.record():
        out = variables[0] * variables[1] + nd.relu(variables[0])
    out.backward()
    show("marked", grads)
    for call in (lambda: nd.ones(1).backward(), lambda: out.backward()):
        try:
            call()
            show(f"no error {len(call.__code__.co_code)}", True)
        except mx.base.MXNetError as error:
            show(f"error {call.__code__.co_freevars}", isinstance(error, RuntimeError))

    state = nd.zeros((1, 2))
    W = nd.array(draw(3, 2, 2, scale=0.5))
    W.attach_grad()
    found = []
    for _ in range(3):
        with autograd.record():
            for _ in range(2):
                state = nd.tanh(nd.dot(state, W) + 1)
            loss = state.sum()
        loss.backward()
        found.append(W.grad.copy())
    show("through time", [found, state])

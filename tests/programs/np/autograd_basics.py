"""Automatic differentiation: scalars and vectors, detached parts, control flow, `grad`, gradients that add."""

from ._tools import draw


def run(mx, show):
    np, autograd = mx.np, mx.autograd
    x = np.arange(4.0)
    x.attach_grad()
    show("before", [x, x.grad])
    with autograd.record():
        y = 2 * np.dot(x, x)
    y.backward()
    show("dot", [y, x.grad, x.grad == 4 * x])
    with autograd.record():
        y = x.sum()
    y.backward()
    show("sum", x.grad)
    with autograd.record():
        y = x * x
    y.backward()
    show("vector", x.grad)
    with autograd.record():
        y = x * x
        u = y.detach()
        z = u * x
    z.backward()
    show("detached", [x.grad == u, x.grad])
    y.backward()
    show("then", x.grad == 2 * x)

    def f(a):
        b = a * 2
        while np.linalg.norm(b) < 1000:
            b = b * 2
        return b if b.sum() > 0 else 100 * b

    for value in (0.7, -3.1):
        a = np.array(value)
        a.attach_grad()
        with autograd.record():
            d = f(a)
        d.backward()
        show(f"control {value}", [a.grad == d / a, a.grad, d])
    w = np.array(draw(1, 3, 4))
    w.attach_grad(grad_req="add")
    for _ in range(2):
        with autograd.record():
            loss = (np.dot(w, np.ones(4)) ** 2).sum()
        loss.backward()
    show("added", w.grad)
    w.attach_grad()
    with autograd.record():
        parts = [w[0], w[1:, :2], w[[2, 0]], w[w > 0], w[:, -1], w[..., None], w[np.array([1, 1], dtype="int32")]]
        total = sum((part ** 2).sum() for part in parts)
    total.backward()
    show("parts", w.grad)
    with autograd.record():
        y = np.concatenate([w, np.stack([w[0], w[1]])], axis=0).T.reshape(-1, 2).max(axis=1)
        y = np.where(y > 0, y, 0.1 * y).mean() + np.tile(w, (2, 1)).mean() + np.expand_dims(w, 0).squeeze().prod()
    y.backward()
    show("chain", [y, w.grad])
    with autograd.record():
        y = np.log(1 + np.exp(-w)) + np.power(np.abs(w), 1.5) + w / np.sqrt(1 + np.square(w))
        y = y + np.tanh(w).clip(-0.5, 0.5)
    y.backward(np.array(draw(2, 3, 4)))
    show("weighted", w.grad)
    x = np.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = (x * x * x).sum()
    show("grad", autograd.grad(y, [x], retain_graph=True)[0].as_np_ndarray())      # MXNet gives an NDArray
    y.backward(retain_graph=True)
    y.backward()
    show("twice", x.grad)
    with autograd.record(train_mode=False):
        show("modes", [autograd.is_training(), autograd.is_recording()])
    with autograd.record(), autograd.pause():
        show("paused", autograd.is_recording())

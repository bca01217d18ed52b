"""Names of PyTorch and NumPy."""

from .table import mistake

mistake(
    "Moving to a device with x.to() or x.cuda()",
    wrong="""
        x = nd.ones((2, 3))
        x.cuda()
        """,
    error="AttributeError",
    says="'NDArray' object has no attribute 'cuda'. Write x.as_in_context(mx.gpu(0)), or make the array there, "
         "nd.ones((2, 3), ctx=mx.gpu(0)).",
    cause="has no attribute 'cuda'",
    place="'NDArray' object",
    remedy="Write x.as_in_context(mx.gpu(0))",
    right="""
        x.as_in_context(mx.cpu(1))
        """)

mistake(
    "x.unsqueeze",
    wrong="""
        x = nd.ones((2, 3))
        x.unsqueeze(0)
        """,
    error="AttributeError",
    says="'NDArray' object has no attribute 'unsqueeze'. Write x.expand_dims(axis).",
    cause="has no attribute 'unsqueeze'",
    place="'NDArray' object",
    remedy="Write x.expand_dims(axis)",
    right="""
        x.expand_dims(0)
        """)

mistake(
    "x.size(0)",
    wrong="""
        x = nd.ones((2, 3))
        x.size(0)
        """,
    error="TypeError",
    says="x.size is the number of elements, 6, and no function. Write x.shape[0] for the length of an axis.",
    cause="is the number of elements, 6, and no function",
    place="x.size",
    remedy="Write x.shape[0]",
    right="""
        x.shape[0]
        """)

mistake(
    "nn.Linear",
    wrong="""
        nn.Linear(3, 2)
        """,
    error="AttributeError",
    says="module 'minigluon.gluon.nn' has no attribute 'Linear'. Write nn.Dense(units), which infers its input size.",
    cause="has no attribute 'Linear'",
    place="module 'minigluon.gluon.nn'",
    remedy="Write nn.Dense(units)",
    right="""
        nn.Dense(2)
        """)

mistake(
    "net.eval() and net.train()",
    wrong="""
        net = nn.Dense(2)
        net.eval()
        """,
    error="AttributeError",
    says="'Dense' object has no attribute 'eval'. Leave it out: autograd.record() puts layers into training mode. "
         "Inside it, autograd.predict_mode() is inference.",
    cause="has no attribute 'eval'",
    place="'Dense' object",
    remedy="Leave it out: autograd.record() puts layers into training mode",
    right="""
        with autograd.predict_mode():
            pass
        """)

mistake(
    "no_grad",
    wrong="""
        with mx.no_grad():
            pass
        """,
    error="AttributeError",
    says="module 'mx' has no attribute 'no_grad'. Leave it out: outside autograd.record() nothing is recorded. "
         "Inside it, autograd.pause() stops the recording.",
    cause="has no attribute 'no_grad'",
    place="module 'mx'",
    remedy="outside autograd.record() nothing is recorded",
    right="""
        with autograd.pause():
            pass
        """)

mistake(
    "zero_grad",
    wrong="""
        net = nn.Dense(2, in_units=3)
        net.initialize()
        trainer = gluon.Trainer(net.collect_params(), 'sgd')
        trainer.zero_grad()
        """,
    error="AttributeError",
    says="'Trainer' object has no attribute 'zero_grad'. Leave it out: backward overwrites gradients. With "
         "grad_req='add', net.collect_params().zero_grad().",
    cause="has no attribute 'zero_grad'",
    place="'Trainer' object",
    remedy="Leave it out: backward overwrites gradients",
    right="""
        net.collect_params().zero_grad()
        """)

mistake(
    "PyTorch's CrossEntropyLoss",
    wrong="""
        gluon.loss.CrossEntropyLoss()
        """,
    error="AttributeError",
    says="module 'minigluon.gluon.loss' has no attribute 'CrossEntropyLoss'. Write "
         "gluon.loss.SoftmaxCrossEntropyLoss().",
    cause="has no attribute 'CrossEntropyLoss'",
    place="module 'minigluon.gluon.loss'",
    remedy="Write gluon.loss.SoftmaxCrossEntropyLoss()",
    right="""
        gluon.loss.SoftmaxCrossEntropyLoss()
        """)

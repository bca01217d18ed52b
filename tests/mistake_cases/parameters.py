"""Initialization, devices and blocks."""

from .table import mistake

mistake(
    "An uninitialized net",
    wrong="""
        net = nn.Dense(2, prefix='fc_')
        net(nd.ones((1, 3)))
        """,
    error="UninitializedError",
    says="Parameter 'fc_weight' of Dense 'fc' has not been initialized. Call initialize() on the outermost block, "
         "net.initialize(), and make the Trainer from net.collect_params(), which includes all nested blocks.",
    cause="has not been initialized",
    place="Parameter 'fc_weight' of Dense 'fc'",
    remedy="Call initialize() on the outermost block",
    right="""
        net.initialize()
        net(nd.ones((1, 3)))
        """)

mistake(
    "A weight read before the first batch",
    wrong="""
        net = nn.Dense(2, prefix='fc_')
        net.initialize()
        net.weight.data()
        """,
    error="DeferredInitializationError",
    says="Parameter 'fc_weight' of Dense 'fc' has no value yet: its shape (2, 0) waits for the first forward pass. "
         "Dense 'fc' was never called. Pass one batch through the network first, or give the sizes when the layer "
         "is made (in_units, in_channels, ...).",
    cause="has no value yet: its shape (2, 0) waits for the first forward pass",
    place="Parameter 'fc_weight' of Dense 'fc'",
    remedy="Pass one batch through the network first",
    right="""
        net(nd.ones((1, 3)))
        net.weight.data()
        """)

mistake(
    "Initialized twice (a warning)",
    wrong="""
        net = nn.Dense(2, in_units=3, use_bias=False, prefix='fc_')
        net.initialize()
        net.initialize(init.Xavier())
        """,
    error="UserWarning",
    says="Parameter 'fc_weight' of Dense 'fc' is already initialized and keeps its value. To initialize it anew, "
         "pass force_reinit=True.",
    cause="is already initialized and keeps its value",
    place="Parameter 'fc_weight' of Dense 'fc'",
    remedy="pass force_reinit=True",
    right="""
        net.initialize(init.Xavier(), force_reinit=True)
        """)

mistake(
    "Input and net on different devices",
    wrong="""
        net = nn.Dense(2, in_units=3, prefix='fc_')
        net.initialize(ctx=mx.cpu(0))
        x = nd.ones((1, 3), ctx=mx.cpu(1))
        net(x)
        """,
    error="ContextError",
    says="Dense 'fc': the input of shape (1, 3) is on cpu(1), but parameter 'fc_weight' of shape (2, 3) is on "
         "cpu(0). Move the input with .as_in_context(cpu(0)), or the parameters with "
         "net.collect_params().reset_ctx(cpu(1)).",
    cause="the input of shape (1, 3) is on cpu(1), but parameter 'fc_weight' of shape (2, 3) is on cpu(0)",
    place="Dense 'fc'",
    remedy="Move the input with .as_in_context(cpu(0))",
    right="""
        net(x.as_in_context(mx.cpu(0)))
        """)

mistake(
    "A block without super().__init__()",
    wrong="""
        class Net(gluon.Block):
            def __init__(self):
                self.fc = nn.Dense(2)

        Net()
        """,
    error="NotConstructedError",
    says="Net.__init__ has to call super().__init__(**kwargs) before it sets layers and parameters, or asks the "
         "block for anything.",
    cause="has to call super().__init__(**kwargs) before it sets layers",
    place="Net.__init__",
    remedy="has to call super().__init__(**kwargs)",
    right="""
        class Net(gluon.Block):
            def __init__(self):
                super().__init__()
                self.fc = nn.Dense(2)

        Net()
        """)

mistake(
    "Layers in a list",
    wrong="""
        class Net(gluon.Block):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                self.layers = [nn.Dense(2, prefix='fc_')]

        net = Net(prefix='net_')
        net.collect_params()
        """,
    error="UserWarning",
    says="Net.layers holds Dense 'fc', which is no child of a block here: its parameters are neither initialized, "
         "trained nor saved. A list, tuple or dict registers nothing: call register_child(block), or put the "
         "layers into an nn.Sequential.",
    cause="Net.layers holds Dense 'fc', which is no child of a block here",
    place="Net.layers",
    remedy="put the layers into an nn.Sequential",
    right="""
        class Net(gluon.Block):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                self.layers = nn.Sequential()
                self.layers.add(nn.Dense(2))

        net = Net()
        net.initialize()
        """)

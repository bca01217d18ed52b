"""Trainers, hybridized nets and what is beside Gluon."""

from .table import mistake

mistake(
    "A net instead of its parameters",
    wrong="""
        net = nn.Dense(2, in_units=3)
        net.initialize()
        gluon.Trainer(net, 'sgd')
        """,
    error="ArgumentError",
    says="Trainer takes a ParameterDict, a dict or a list of Parameters, found Dense. Pass net.collect_params().",
    cause="found Dense",
    place="Trainer takes a ParameterDict",
    remedy="Pass net.collect_params()",
    right="""
        gluon.Trainer(net.collect_params(), 'sgd')
        """)

mistake(
    "A step without backward",
    wrong="""
        net = nn.Dense(2, in_units=3, use_bias=False, prefix='fc_')
        net.initialize()
        trainer = gluon.Trainer(net.collect_params(), 'sgd')
        trainer.step(8)
        """,
    error="StaleGradientError",
    says="gradients have not been computed by backward since the last step:\n"
         "  Parameter 'fc_weight' of Dense 'fc' on cpu(0)\n"
         "  These are all: was backward called? Before each step, call loss.backward() on a loss that was computed "
         "inside autograd.record().",
    cause="gradients have not been computed by backward since the last step",
    place="Parameter 'fc_weight' of Dense 'fc' on cpu(0)",
    remedy="call loss.backward()",
    right="""
        with autograd.record():
            loss = net(nd.ones((8, 3))).sum()
        loss.backward()
        trainer.step(8)
        """)

mistake(
    "A step without the batch size",
    wrong="""
        net = nn.Dense(2, in_units=3)
        net.initialize()
        trainer = gluon.Trainer(net.collect_params(), 'sgd')
        trainer.step()
        """,
    error="TypeError",
    says="Trainer.step() missing 1 required positional argument: 'batch_size'",
    cause="missing 1 required positional argument",
    place="Trainer.step()",
    remedy="",
    right="""
        with autograd.record():
            loss = net(nd.ones((8, 3))).sum()
        loss.backward()
        trainer.step(8)
        """)

mistake(
    "NumPy's functions in hybrid_forward",
    wrong="""
        class Net(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return np.exp(x)

        net = Net(prefix='net_')
        net.hybridize()
        net(nd.ones((2, 3)))
        """,
    error="CallError",
    says="np.exp takes numbers, and a Symbol stands for a computation that has not run. Write F.exp, which is nd or "
         "sym.",
    cause="takes numbers, and a Symbol stands for a computation that has not run",
    place="np.exp",
    remedy="Write F.exp",
    right="""
        class Net(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.exp(x)

        net = Net(prefix='net_')
        net.hybridize()
        net(nd.ones((2, 3)))
        """)

mistake(
    "An if on data in hybrid_forward",
    wrong="""
        class Net(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return x if x.sum() > 0 else -x

        net = Net(prefix='net_')
        net.hybridize()
        net(nd.ones((2, 3)))
        """,
    error="NotImplementedForSymbol",
    says="a Symbol has no truth value, since it stands for a computation that has not run: `if` on data cannot be "
         "traced. Use F.where, or leave the block imperative.",
    cause="a Symbol has no truth value",
    place="a Symbol",
    remedy="Use F.where",
    right="""
        class Net(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.broadcast_mul(x, F.sign(x.sum().reshape((1, 1))))

        net = Net(prefix='net_')
        net.hybridize()
        net(nd.ones((2, 3)))
        """)

mistake(
    "Reading a shape in hybrid_forward",
    wrong="""
        class Net(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return x.reshape((x.shape[0], -1))

        net = Net(prefix='net_')
        net.hybridize()
        net(nd.ones((2, 3)))
        """,
    error="NotImplementedForSymbol",
    says="a Symbol has no shape: shapes are not known while a graph is written. Let operators find them: F.reshape "
         "with the codes 0 and -1, F.slice_like, F.broadcast_like, F.shape_array.",
    cause="shapes are not known while a graph is written",
    place="a Symbol has no shape",
    remedy="F.reshape with the codes 0 and -1",
    right="""
        class Net(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return x.reshape((0, -1))

        net = Net(prefix='net_')
        net.hybridize()
        net(nd.ones((2, 3)))
        """)

mistake(
    "Reading values in hybrid_forward",
    wrong="""
        class Net(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.relu(x) * float(x.asnumpy().max())

        net = Net(prefix='net_')
        net.hybridize()
        net(nd.ones((2, 3)))
        """,
    error="NotImplementedForSymbol",
    says="a Symbol has no asnumpy: it stands for a computation that has not run, so there are no values to look "
         "at. Compute with the functions of F, or leave the block imperative.",
    cause="there are no values to look at",
    place="a Symbol has no asnumpy",
    remedy="Compute with the functions of F",
    right="""
        class Net(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.broadcast_mul(F.relu(x), x.max())

        net = Net(prefix='net_')
        net.hybridize()
        net(nd.ones((2, 3)))
        """)

mistake(
    "nd instead of F in hybrid_forward",
    wrong="""
        class Net(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return nd.relu(x)

        net = Net(prefix='net_')
        net.hybridize()
        net(nd.ones((2, 3)))
        """,
    error="CallError",
    says="relu: data must be an array of the same kind as the others, found Symbol <Symbol data>. Call the "
         "function of F, which is sym while a graph is written.",
    cause="found Symbol",
    place="relu: data",
    remedy="Call the function of F",
    right="""
        class Net(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.relu(x)

        net = Net(prefix='net_')
        net.hybridize()
        net(nd.ones((2, 3)))
        """)

mistake(
    "An unbound Module",
    wrong="""
        net = sym.FullyConnected(sym.var('data'), num_hidden=2)
        mod = mx.mod.Module(net, label_names=None)
        mod.init_params()
        """,
    error="MXNetError",
    says="init_params: this Module is not bound yet. Call bind(data_shapes=...) first, or fit, which does everything.",
    cause="this Module is not bound yet",
    place="init_params",
    remedy="Call bind(data_shapes=...) first",
    right="""
        mod.bind(data_shapes=[('data', (8, 3))])
        mod.init_params()
        """)

mistake(
    "A key that is not in the store",
    wrong="""
        kv = mx.kv.create('local')
        kv.push(3, nd.ones((2,)))
        """,
    error="ArgumentError",
    says="push: key 3 has no value yet; the store has none. Call init(3, value) first.",
    cause="key 3 has no value yet",
    place="push",
    remedy="Call init(3, value) first",
    right="""
        kv.init(3, nd.zeros((2,)))
        kv.push(3, nd.ones((2,)))
        """)

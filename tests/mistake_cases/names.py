"""Names and arguments that do not exist."""

from .table import mistake

mistake(
    "lr instead of learning_rate",
    wrong="""
        net = nn.Dense(2, in_units=3)
        net.initialize()
        gluon.Trainer(net.collect_params(), 'sgd', {'lr': 0.1})
        """,
    error="CallError",
    says="SGD: unknown argument 'lr'; it has momentum, lazy_update, rescale_grad, param_idx2name, wd, "
         "clip_gradient, learning_rate, lr_scheduler, sym, begin_num_update, multi_precision, param_dict. Write "
         "learning_rate.",
    cause="unknown argument 'lr'",
    place="SGD",
    remedy="Write learning_rate.",
    right="""
        gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.1})
        """)

mistake(
    "An optimizer that does not exist",
    wrong="""
        net = nn.Dense(2, in_units=3)
        net.initialize()
        gluon.Trainer(net.collect_params(), 'addam')
        """,
    error="CheckError",
    says="no optimizer is called 'addam'. Did you mean 'adam', 'nadam', 'adamax'? Registered: adadelta, adagrad, "
         "adam, adamax, ccsgd, dcasgd, ftml, ftrl, groupadagrad, lamb, lars, lbsgd, nadam, nag, rmsprop, sgd, "
         "sgld, signsgd, signum, test.",
    cause="no optimizer is called 'addam'",
    place="no optimizer",
    remedy="Did you mean 'adam'",
    right="""
        gluon.Trainer(net.collect_params(), 'adam')
        """)

mistake(
    "An initializer that does not exist",
    wrong="""
        net = nn.Dense(2)
        net.initialize('xaver')
        """,
    error="CheckError",
    says="no initializer is called 'xaver'. Did you mean 'xavier'? Registered: bilinear, constant, fusedrnn, "
         "lstmbias, msraprelu, normal, one, ones, orthogonal, uniform, xavier, zero, zeros.",
    cause="no initializer is called 'xaver'",
    place="no initializer",
    remedy="Did you mean 'xavier'",
    right="""
        net.initialize('xavier')
        """)

mistake(
    "A misspelled operator",
    wrong="""
        nd.softmx(nd.ones((2,)))
        """,
    error="AttributeError",
    says="nd has no function 'softmx'. Did you mean 'softmax', 'softmin', 'Softmax'?",
    cause="has no function 'softmx'",
    place="nd",
    remedy="Did you mean 'softmax'",
    right="""
        nd.softmax(nd.ones((2,)))
        """)

mistake(
    "A misspelled argument of an operator",
    wrong="""
        x = nd.ones((1, 1, 4, 4))
        nd.Pooling(x, kernal=(2, 2))
        """,
    error="OpAttributeError",
    says="Pooling: unknown attribute 'kernal'; it has kernel, pool_type, global_pool, cudnn_off, "
         "pooling_convention, stride, pad, p_value, count_include_pad, layout. Did you mean 'kernel'?",
    cause="unknown attribute 'kernal'",
    place="Pooling",
    remedy="Did you mean 'kernel'?",
    right="""
        nd.Pooling(x, kernel=(2, 2))
        """)

mistake(
    "A misspelled argument of a layer",
    wrong="""
        nn.Dense(10, activaton='relu')
        """,
    error="CallError",
    says="Dense: unknown argument 'activaton'; it has units, activation, use_bias, flatten, dtype, "
         "weight_initializer, bias_initializer, in_units, prefix, params. Did you mean 'activation'?",
    cause="unknown argument 'activaton'",
    place="Dense",
    remedy="Did you mean 'activation'?",
    right="""
        nn.Dense(10, activation='relu')
        """)

mistake(
    "An activation that does not exist",
    wrong="""
        net = nn.Dense(10, activation='rellu', prefix='fc_')
        net.initialize()
        net(nd.ones((1, 3)))
        """,
    error="OpAttributeError",
    says="Activation: attribute act_type is 'rellu', expected one of 'relu', 'sigmoid', 'tanh', 'softrelu', "
         "'softsign'. Did you mean 'relu', 'softrelu'?",
    cause="'rellu'",
    place="act_type",
    remedy="'relu'",
    right="""
        net = nn.Dense(10, activation='relu')
        """)

mistake(
    "A misspelled method of a net",
    wrong="""
        net = nn.Dense(2)
        net.colect_params()
        """,
    error="MissingAttributeError",
    says="'Dense' object has no attribute 'colect_params'. Did you mean 'collect_params', 'save_params', "
         "'load_params'?",
    cause="has no attribute 'colect_params'",
    place="'Dense' object",
    remedy="Did you mean 'collect_params'",
    right="""
        net.collect_params()
        """)

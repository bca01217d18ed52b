"""Files, data and types."""

from .table import mistake

mistake(
    "A missing file",
    wrong="""
        net = nn.Dense(2, in_units=3, prefix='fc_')
        net.initialize()
        net.save_parameters('net.params')
        net.load_parameters('nett.params')
        """,
    error="MXNetError",
    says="cannot read 'nett.params': No such file or directory. Did you mean 'net.params'?",
    cause="No such file or directory",
    place="'nett.params'",
    remedy="Did you mean 'net.params'",
    right="""
        net.load_parameters('net.params')
        """)

mistake(
    "A file with different parameters",
    wrong="""
        net = nn.Dense(2, in_units=3, prefix='fc_')
        net.initialize()
        net.save_parameters('net.params')
        net = nn.HybridSequential(prefix='net_')
        with net.name_scope():
            net.add(nn.Dense(2, in_units=3, use_bias=False))
        net.load_parameters('net.params')
        """,
    error="MXNetError",
    says="file 'net.params' lacks parameters of this block:\n"
         "  'net_dense0_weight'. Did you mean 'net_weight'?\n"
         "  Pass allow_missing=True to leave them unchanged.\n"
         "file 'net.params' has arrays that are not parameters of this block:\n"
         "  'net_weight'. Did you mean 'net_dense0_weight'?\n"
         "  'net_bias'.\n"
         "  Pass ignore_extra=True to skip them.",
    cause="lacks parameters of this block",
    place="file 'net.params'",
    remedy="Pass allow_missing=True",
    right="""
        other = nn.Dense(2, in_units=3)
        other.load_parameters('net.params')
        """)

mistake(
    "A file with different shapes",
    wrong="""
        net = nn.Dense(2, in_units=3, prefix='fc_')
        net.initialize()
        net.save_parameters('net.params')
        net = nn.Dense(5, in_units=3, prefix='fc_')
        net.load_parameters('net.params')
        """,
    error="MXNetError",
    says="file 'net.params' has shapes that differ from parameters of this block:\n"
         "  Parameter 'fc_weight' of Dense 'fc' has shape (5, 3), the file (2, 3)\n"
         "  Parameter 'fc_bias' of Dense 'fc' has shape (5,), the file (2,)\n"
         "  Create the block with the sizes of the saved one.",
    cause="has shape (5, 3), the file (2, 3)",
    place="file 'net.params'",
    remedy="Create the block with the sizes of the saved one",
    right="""
        net = nn.Dense(2, in_units=3)
        net.load_parameters('net.params')
        """)

mistake(
    "A PyTorch file",
    wrong="""
        with open('net.pt', 'wb') as file:
            file.write(b'PK\\x03\\x04' + bytes(26) + b'net/data.pkl')
        nd.load('net.pt')
        """,
    error="FileFormatError",
    says="net.pt is not a .params file: it looks like a file of torch.save. Read it with "
         "gluon.utils.load_torch(net, path), or for a net of the zoo, convert it with `minigluon weights`.",
    cause="it looks like a file of torch.save",
    place="net.pt is not a .params file",
    remedy="Read it with gluon.utils.load_torch",
    right="""
        nd.save('net.params', {'w': nd.ones((2,))})
        nd.load('net.params')
        """)

mistake(
    "Samples with different shapes",
    wrong="""
        data = [nd.ones((3,)), nd.ones((4,))]
        next(iter(gluon.data.DataLoader(data, batch_size=2)))
        """,
    error="ShapeError",
    says="cannot batch samples of different shapes: sample 0 has (3,), sample 1 has (4,). Make them equal in the "
         "dataset (transforms.Resize, CenterCrop), or give DataLoader a batchify_fn (batchify.Pad, "
         "batchify.AsList).",
    cause="sample 0 has (3,), sample 1 has (4,)",
    place="cannot batch samples",
    remedy="Make them equal in the dataset",
    right="""
        pad = gluon.data.batchify.Pad()
        next(iter(gluon.data.DataLoader(data, batch_size=2, batchify_fn=pad)))
        """)

mistake(
    "Dtypes that do not mix",
    wrong="""
        x, y = nd.ones((2,)), nd.ones((2,), dtype='int32')
        x + y
        """,
    error="DTypeError",
    says="broadcast_add: inputs have different dtypes: lhs float32, rhs int32. Convert with .astype(dtype).",
    cause="inputs have different dtypes: lhs float32, rhs int32",
    place="broadcast_add",
    remedy="Convert with .astype(dtype)",
    right="""
        x + y.astype('float32')
        """)

mistake(
    "A NumPy array as the input of a net",
    wrong="""
        net = nn.Dense(2, prefix='fc_')
        net.initialize()
        net(np.ones((8, 3)))
        """,
    error="ArgumentError",
    says="Dense 'fc' takes NDArrays or Symbols, found ndarray. Convert it with nd.array(...).",
    cause="takes NDArrays or Symbols, found ndarray",
    place="Dense 'fc'",
    remedy="Convert it with nd.array(...)",
    right="""
        net(nd.array(np.ones((8, 3))))
        """)

mistake(
    "A list instead of an array",
    wrong="""
        x = nd.ones((2,))
        x + [1, 2]
        """,
    error="TypeError",
    says="add: expected NDArrays or numbers, found list. Convert it with nd.array(...).",
    cause="expected NDArrays or numbers, found list",
    place="add",
    remedy="Convert it with nd.array(...)",
    right="""
        x + nd.array([1, 2])
        """)

"""Remarks that `minigluon check` makes on names that behave differently or are slow: the rows of docs/differences.md
that can be detected in source code."""

__all__ = ["DIFFERENT", "DOWNLOADS", "PRETRAINED", "REFUSED_STORES", "REFUSED_VALUES", "SLOW"]

_ONE_BY_ONE = "a hybridized block with it in its graph runs operator by operator"

# names as written after `mx.`; names in `nd` and `sym` are listed under `nd`
DIFFERENT = {
    "contrib.tensorboard": "writes with tensorboardX",
    "contrib.text.embedding.FastText": "its file is not downloaded and must exist locally",
    "contrib.text.embedding.GloVe": "its file is not downloaded and must exist locally",
    "engine.bulk": "has no effect: operators run when they are called",
    "engine.set_bulk_size": "has no effect: operators run when they are called",
    "image.ImageDetIter.draw_next": "draws with Pillow; `waitKey` is refused",
}

SLOW = {
    "nd.Custom": _ONE_BY_ONE,
    "nd.contrib.cond": _ONE_BY_ONE,
    "nd.contrib.while_loop": _ONE_BY_ONE,
    "profiler.set_state": "while it runs, plans run operator by operator",
}

_OVER_MPI = "is not available; use 'dist_sync', with mpirun"
REFUSED_STORES = {
    "byteps": _OVER_MPI, "horovod": _OVER_MPI, "nccl": "is not available; use 'device'", "p3": _OVER_MPI,
}
REFUSED_VALUES = {("kvstore", name): text for name, text in REFUSED_STORES.items()}

PRETRAINED = ("no weights are downloaded: put MXNet's file of the net into the folder models of $MXNET_HOME, by "
              "default ~/.mxnet, or pass its folder as root=")

_DATA = "downloads from MXNet's repository unless the files are there; $MXNET_GLUON_REPO names another"
_FILE = "downloads from the program's URL: needs network access, and the file must still be there"

# names as in DIFFERENT
DOWNLOADS = {
    **dict.fromkeys([f"gluon.data.vision.{name}" for name in ("MNIST", "FashionMNIST", "CIFAR10", "CIFAR100")], _DATA),
    **dict.fromkeys([f"gluon.contrib.data.text.{name}" for name in ("WikiText2", "WikiText103")], _DATA),
    **dict.fromkeys([f"test_utils.{name}" for name in (
        "get_mnist", "get_mnist_ubyte", "get_mnist_iterator", "get_cifar10", "get_zip_data")], _DATA),
    "gluon.utils.download": _FILE, "test_utils.download": _FILE,
}

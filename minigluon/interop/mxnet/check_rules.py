"""Remarks of `minigluon check` about names that behave differently or are slow: the rows of docs/differences.md that
can be seen in a program's source."""

__all__ = ["DIFFERENT", "REFUSED_VALUES", "SLOW"]

_ONE_BY_ONE = "a hybridized block with it in its graph runs operator by operator"

# names as written after `mx.`; those of `nd` and `sym` under `nd`
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

REFUSED_VALUES = {
    ("kvstore", "dist_async"): "use 'dist_sync', with mpirun",
    ("kvstore", "horovod"): "use 'dist_sync', with mpirun",
    ("kvstore", "nccl"): "use 'device'",
    ("kvstore", "p3"): "use 'dist_sync', with mpirun",
}

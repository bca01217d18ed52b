"""What `minigluon check` says of names that are here and do something else, or are slow: the rows of
docs/differences.md that a program's text can tell."""

__all__ = ["DIFFERENT", "REFUSED_VALUES", "SLOW"]

_ONE_BY_ONE = "a hybridized block with it in its graph runs operator by operator"

# the name as programs write it after `mx.`; of `nd` and `sym` under `nd`
DIFFERENT = {
    "contrib.tensorboard": "writes with tensorboardX",
    "contrib.text.embedding.FastText": "its file is not downloaded, it must be there",
    "contrib.text.embedding.GloVe": "its file is not downloaded, it must be there",
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

"""minigluon: MXNet 1.x's Gluon written to be read, on NumPy. `import minigluon as mx` runs Gluon programs."""

from . import (
    attribute,
    autograd,
    base,
    context,
    contrib,
    executor,
    gluon,
    image,
    initializer,
    io,
    lr_scheduler,
    metric,
    model,
    name,
    ndarray,
    optimizer,
    random,
    recordio,
    rnn,
    symbol,
    visualization,
)
from . import image as img
from . import initializer as init
from . import ndarray as nd
from . import optimizer as opt
from . import random as rnd
from . import symbol as sym
from . import visualization as viz
from .attribute import AttrScope
from .base import MXNetError
from .context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from .explain import explain
from .version import __version__

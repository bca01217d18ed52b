"""minigluon: MXNet 1.x's Gluon written to be read, on NumPy. `import minigluon as mx` runs Gluon programs."""

from . import autograd, base, context, gluon, initializer, lr_scheduler, ndarray, random
from . import initializer as init
from . import ndarray as nd
from .base import MXNetError
from .context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from .version import __version__

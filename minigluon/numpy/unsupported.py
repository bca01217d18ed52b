"""Names of MXNet's `mx.np` that do not exist here, each with the reason."""

from ..base import MXNetError

__all__ = ["NOT_YET", "NotThereError", "refuse"]

_FINANCE = "a function of finance, which NumPy has removed; the package numpy_financial has it"
_HELPER = "a helper of MXNet's own code"
NOT_YET = {
    "np": dict.fromkeys(["mirr", "npv", "ppmt", "pv", "rate"], _FINANCE),
    "npx": {**dict.fromkeys(["check_call", "classproperty", "utils", "with_metaclass"], _HELPER),
            "get_cuda_compute_capability": "it reads NVIDIA's driver; mx.context.num_gpus() counts the GPUs"},
}


class NotThereError(MXNetError, AttributeError):
    """The error for a name of `mx.np` or `mx.npx` in MXNet 1.9.1 that does not exist here; `hasattr` returns False."""


def refuse(module: str, name: str) -> None:
    """Raise NotThereError for a name that MXNet has. Does nothing for other names.

    module: 'np' or 'npx'.
    """
    if name in NOT_YET[module]:
        raise NotThereError(f"mx.{module}.{name} is not here: {NOT_YET[module][name]}. docs/np.md lists what is.")

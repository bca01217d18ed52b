"""Functions that MXNet defines in other modules than this package does, also made available in those modules.

`mx.nd.maximum` is `mxnet.ndarray.ndarray.maximum` in MXNet. Programs that use that module (GluonTS's tests pass it as
the F of `hybrid_forward`) expect such functions there.
"""

__all__ = ["FUNCTIONS", "put"]

# module: names that the enclosing package defines
FUNCTIONS = {
    "ndarray.ndarray": (
        "add", "arange", "array", "concatenate", "divide", "empty", "equal", "eye", "from_dlpack", "from_numpy", "full",
        "greater", "greater_equal", "histogram", "lesser", "lesser_equal", "linspace", "logical_and", "logical_or",
        "logical_xor", "maximum", "minimum", "modulo", "moveaxis", "multiply", "not_equal", "onehot_encode", "ones",
        "power", "split_v2", "subtract", "to_dlpack_for_read", "to_dlpack_for_write", "true_divide", "waitall",
        "zeros"),
    "symbol.symbol": (
        "arange", "eye", "full", "histogram", "hypot", "linspace", "load", "load_json", "maximum", "minimum", "ones",
        "pow", "power", "split_v2", "zeros"),
}


def put(whole):
    """Makes FUNCTIONS available in their modules, on demand. whole: the package."""
    for place, names in FUNCTIONS.items():
        package, module = place.split(".")
        around = getattr(whole, package)
        getattr(around, module).__getattr__ = _looked_up(f"{around.__name__}.{module}", around, names)


def _looked_up(name, around, names):
    def __getattr__(attribute):
        if attribute not in names:
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}", name=attribute)
        return getattr(around, attribute)
    return __getattr__

"""What a HybridBlock says of a call that went wrong: which argument or parameter it was, and what to do."""

import inspect

from .. import ndarray as nd
from ..base import ArgumentError, CallError, ContextError, MXNetError, nearest
from ..common.nest import flatten
from ..diagnostics.strictness import refuse
from ..hybrid import FLAGS
from ..hybrid.flags import saving
from ..hybrid.registered_passes import check_registered, is_registered

__all__ = ["HybridErrors", "check_flags"]


class HybridErrors:
    """The part of HybridBlock that makes its errors."""

    def _check_call(self, args):
        """Raise CallError where `hybrid_forward` does not take `args` and the parameters, or takes no such mixture."""
        self._refuse_mixture(args)
        signature = inspect.signature(self.hybrid_forward)
        try:
            signature.bind(nd, *args, **self._reg_params)
        except TypeError as mismatch:
            parameters = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
            plain = inspect.Signature(parameters)
            raise CallError(
                f"{type(self).__name__} {self.name!r}: hybrid_forward{plain} is called with F, inputs: "
                f"{len(args)}, parameters: {', '.join(self._reg_params) or 'none'}, but {mismatch}. F comes first, "
                "then the inputs, then each parameter under the name of its attribute.") from None

    def _untraceable(self, leaves):
        found = next(leaf for leaf in leaves if leaf.__class__.__hash__ is None)
        return ArgumentError(
            f"{type(self).__name__} {self.name!r}: an argument is the {type(found).__name__} {found!r}. A hybridized "
            "block is traced once for each value of an argument that is no array, so that must be None, a number, a "
            "string or something else that can be a key. Make it an NDArray if it changes from call to call.")

    def _elsewhere(self, param, ctx, args):
        """The error for a parameter that is not where the input is."""
        contexts = param.list_ctx()
        shape = next(a.shape for a in flatten(args)[0] if a is not None)
        return ContextError(
            f"{type(self).__name__} {self.name!r}: the input of shape {shape} is on {ctx}, but parameter "
            f"{param.name!r} of shape {param.shape} is on {', '.join(map(str, contexts))}. Move the input with "
            f".as_in_context({contexts[0]}), or the parameters with net.collect_params().reset_ctx({ctx}).")

    def _name_parameter(self, error, param=None):
        """Tell which parameter a shape error is about, and what to do. The innermost block knows best."""
        param = self._reg_params.get(error.argument) if param is None else param
        if param is not None and not any(line.startswith("parameter:") for line in error.details):
            error.add(f"parameter: {param.name!r} of {type(self).__name__} {self.name!r} has shape {param.shape}, "
                      "fixed when the block was made or at its first forward pass")
            error.remedy = error.remedy or ("feed inputs of the same size as then, or make a new block; "
                                            "initialize(force_reinit=True) keeps the shape")

    def _refuse_child(self, block, key):
        raise ArgumentError(f"{type(self).__name__} {self.name!r} is a HybridBlock, so its children must be hybrid, "
                            f"but {key or 'the new child'} is a {type(block).__name__}, which is a plain Block. "
                            "Derive it from HybridBlock, or use Sequential instead of HybridSequential.")


def check_flags(block, backend, flags):
    """The flags, with the backend among their passes. Raises MXNetError and ArgumentError for what it does not take."""
    saving(flags)
    if backend is not None and not is_registered(backend):
        raise MXNetError(f"{type(block).__name__} {block.name!r}: hybridize(backend={backend!r}) is a library that "
                         "MXNet hands parts of a graph to, and minigluon has none. Leave backend out.")
    for name in flags:
        if name not in FLAGS:
            refuse(ArgumentError(f"{type(block).__name__} {block.name!r}: hybridize has no argument {name!r}; it has "
                                 f"active, backend, clear, {', '.join(FLAGS)}." + nearest(name, FLAGS)))
    names = [*flags.get("passes", ()), *([backend] if backend is not None else ())]
    check_registered(names)
    return {**flags, "passes": names} if names else flags

"""Error messages for failed calls of a HybridBlock, which name the offending argument or parameter and a remedy."""

import inspect
from typing import Any

from .. import ndarray as nd
from ..base import ArgumentError, CallError, ContextError, MXNetError, nearest
from ..common.nest import flatten
from ..diagnostics.strictness import refuse
from ..hybrid import FLAGS
from ..hybrid.flags import saving
from ..hybrid.registered_passes import check_registered, is_registered
from ..symbol.subgraph import MARK

__all__ = ["HybridErrors", "check_flags", "unknown_variable"]


class HybridErrors:
    """Mixin for HybridBlock that creates its error messages."""

    def _check_call(self, args):
        """Raise an error if `hybrid_forward` does not accept `args` and the parameters, or if `args` mixes arrays and
        symbols.
        """
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
        value = next(leaf for leaf in leaves if leaf.__class__.__hash__ is None)
        return ArgumentError(
            f"{type(self).__name__} {self.name!r}: an argument is the {type(value).__name__} {value!r}. A hybridized "
            "block is traced once for each value of an argument that is not an array, so this must be None, a number, "
            "a string or another hashable object. Make it an NDArray if it changes between calls.")

    def _elsewhere(self, param, ctx, args):
        """Return the error for a parameter that is not on the input's device."""
        contexts = param.list_ctx()
        shape = next(a.shape for a in flatten(args)[0] if a is not None)
        return ContextError(
            f"{type(self).__name__} {self.name!r}: the input of shape {shape} is on {ctx}, but parameter "
            f"{param.name!r} of shape {param.shape} is on {', '.join(map(str, contexts))}. Move the input with "
            f".as_in_context({contexts[0]}), or the parameters with net.collect_params().reset_ctx({ctx}).")

    def _name_parameter(self, error, param=None):
        """Add the parameter in question and a remedy to a shape error. The innermost block knows it most precisely."""
        param = self._reg_params.get(error.argument) if param is None else param
        if param is not None and not any(line.startswith("parameter:") for line in error.details):
            error.add(f"parameter: {param.name!r} of {type(self).__name__} {self.name!r} has shape {param.shape}, "
                      "fixed when the block was created or in its first forward pass")
            error.remedy = error.remedy or ("feed inputs of the same size as then, or create a new block; "
                                            "initialize(force_reinit=True) keeps the shape")

    def _name_parameter_of(self, graph, error):
        """Add the name of the BlockGraph's parameter to an inference shape error that concerns a parameter."""
        param = next((param for param in graph.params if param.name == error.variable), None)
        owner = param is not None and param._owner and param._owner()
        (owner or self)._name_parameter(error, param)

    def _refuse_child(self, block, key):
        raise ArgumentError(f"{type(self).__name__} {self.name!r} is a HybridBlock, so its children must be hybrid, "
                            f"but {key or 'the new child'} is a {type(block).__name__}, which is a plain Block. "
                            "Derive it from HybridBlock, or use Sequential instead of HybridSequential.")


def check_flags(block, backend, flags):
    """Return the flags, with the backend added to their passes. Raises MXNetError or ArgumentError for unknown flags.
    """
    saving(flags)
    if backend is not None and not is_registered(backend):
        raise MXNetError(f"{type(block).__name__} {block.name!r}: hybridize(backend={backend!r}) names a library to "
                         "which MXNet passes parts of a graph, but minigluon has none. Omit backend.")
    for name in flags:
        if name not in FLAGS:
            refuse(ArgumentError(f"{type(block).__name__} {block.name!r}: hybridize has no argument {name!r}; it has "
                                 f"active, backend, clear, {', '.join(FLAGS)}." + nearest(name, FLAGS)))
    names = [*flags.get("passes", ()), *([backend] if backend is not None else ())]
    check_registered(names)
    return {**flags, "passes": names} if names else flags

def unknown_variable(block: Any, graph: Any, name: str) -> MXNetError:
    """Return the error for a variable in a block's graph that is neither an argument nor a parameter."""
    loop = next(node.attrs.get(MARK) for node in graph.nodes() if node.name == name)
    if loop is not None:
        return MXNetError(f"{type(block).__name__} {block.name!r}: {name!r}, a slice or state inside of {loop!r}, or "
                          "what its body made of it, is used outside. Let the body return it, as an output or as a "
                          "state.")
    return MXNetError(f"{type(block).__name__} {block.name!r}: its graph has a variable {name!r}, which is neither an "
                      "argument of hybrid_forward nor a parameter of the block or of its children. Make it a parameter "
                      "with self.params.get(...).")

"""Reports on which operators in a plan are computed by NVIDIA's libraries, and which by the project's own kernels."""

from . import kernels

__all__ = ["name_libraries"]

# Operators whose kernels try a library first: their Works report the result.
ASKED = {"Convolution", "_conv_relu", "_conv", "_conv_data_grad", "_conv_weight_grad", "Deconvolution",
         "FullyConnected", "_fully_connected", "_fully_connected_relu", "_fully_connected_data_grad",
         "_fully_connected_weight_grad", "dot"}


def name_libraries(draft):
    """Notes which of these operators in the graph each method computes, if there are any and notes are requested."""
    if draft.reports is None:
        return draft
    graph, specs, device, train = draft.graph, draft.specs, draft.backend.device, not draft.infers
    names = {}                          # method -> names of nodes
    for node in graph.nodes():
        if node.op is not None and node.op.name in ASKED:
            inputs = [specs[pair] for pair in node.inputs]
            outputs = [specs[node, number] for number in range(node.op.num_outputs)]
            work = kernels.find(node.op, inputs, outputs, train, None, device)
            how = work if isinstance(work, str) else work.note
            if how:
                names.setdefault(how, []).append(node.name)
    notes = [f"{', '.join(nodes)}: {how}" for how, nodes in names.items()]
    return draft.after("gpu: libraries", graph, notes) if notes else draft

"""What `debug_str` prints."""

__all__ = ["describe"]

_LINE = "-" * 20


def describe(symbol, planned_bytes):
    """MXNet's listing of a graph, with the memory of its plan in the place of MXNet's."""
    lines = ["Symbol Outputs:"]
    lines += [f"\toutput[{i}]={node.name}({index})" for i, (node, index) in enumerate(symbol._outputs)]
    for node in symbol.nodes():
        if node.op is None:
            lines.append(f"Variable:{node.name}")
            continue
        lines += [_LINE, f"Op:{node.op.name}, Name={node.name}", "Inputs:"]
        for i, (parent, index) in enumerate(node.inputs):
            version = " version=0" if parent.op is None else ""
            lines.append(f"\targ[{i}]={parent.name}({index}){version}")
        own = {key: text for key, text in sorted(node.attrs.items()) if not key.startswith("__")}
        if own:
            lines += ["Attrs:", *(f"\t{key}={text}" for key, text in own.items())]
    return "\n".join([*lines, f"Total {planned_bytes / 2 ** 20:.3g} MB allocated", ""])

"""First sentences and examples for functions of `mx.np` that are generated, many of them by the same piece of code."""

from __future__ import annotations

from . import host_elements, host_selection, host_statistics, operators

__all__ = ["TEXTS"]


def _read(text: str) -> dict[str, tuple[str, str]]:
    """Return {name: (first sentence, example)}; a blank line separates two functions."""
    blocks = [block.partition("\n") for block in text.strip().split("\n\n")]
    heads = [head.partition(": ") for head, _, _ in blocks]
    return {name: (sentence, example) for (name, _, sentence), (_, _, example) in zip(heads, blocks, strict=True)}


TEXTS: dict[str, tuple[str, str]] = {}
for _module in (operators, host_elements, host_selection, host_statistics):
    TEXTS.update(_read(_module.TEXT))

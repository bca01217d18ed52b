"""Attention as one operator on the GPU: the plugin's pass, limited to head sizes that have kernels."""

from ... import passes
from ..kernels.nn.fused_attention import reason_against_heads

__all__ = ["fuse_attention"]


def fuse_attention(draft):
    """Fuses attention that drops no weights (see `minigluon_accel.passes.fuse_attention`)."""
    def takes(*head):
        return reason_against_heads(*head, draft.backend.device) is None
    return passes.fuse_attention(draft, drops=False, takes=takes)

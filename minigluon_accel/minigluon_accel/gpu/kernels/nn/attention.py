"""Products of multi-head attention: each operator declares the products and transpositions that it consists of."""

from ..compose import composed

__all__ = []


@composed("_contrib_interleaved_matmul_selfatt_qk", "_contrib_interleaved_matmul_selfatt_valatt",
          "_contrib_interleaved_matmul_encdec_qk", "_contrib_interleaved_matmul_encdec_valatt")
def interleaved(op, F, *inputs):
    return op.composed(F, *inputs)

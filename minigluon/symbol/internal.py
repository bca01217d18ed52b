"""Operators that files must not name, because only gradients, plans and optimizers use them and MXNet lacks them.

A symbol file may come from an untrusted source. MXNet's operators handle any inputs; internal operators are called only
by this project's own code, so a file that names one was created by hand or from a gradient graph.
"""

__all__ = ["is_internal"]

# Internal operators, in addition to those whose names end in _grad.
_INTERNAL = {
    # parts of gradients
    "_along_axis", "_along_channels", "_astype_like", "_backward_RNN", "_box_nms_chosen", "_cast_like", "_conv",
    "_cumsum_backwards", "_deformable_columns", "_fully_connected", "_gelu_slope", "_grid_in_halves", "_item_weight",
    "_last_writer", "_linalg_inner", "_linalg_scale", "_linalg_transpose", "_linalg_triangle", "_mean_weight",
    "_one_hot_like", "_pdf_collect", "_pdf_spread", "_pick_largest", "_polygamma", "_prod_others",
    "_roi_pooling_chosen", "_spread_like", "_stretch_like", "_sum_channels", "_sum_like", "_sum_neighbours",
    # replacements in plans, and the steps of optimizers
    "_adam_steps", "_attention", "_attention_dropout", "_batch_norm_recompute", "_final_gradients",
    "_max_pooling_argmax", "_sgd_mom_steps", "_sgd_steps",
}


def is_internal(name: str) -> bool:
    """Returns whether files must not name this operator."""
    return name in _INTERNAL or (name.startswith("_") and name.endswith("_grad"))

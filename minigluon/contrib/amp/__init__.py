"""Automatic mixed precision: layers that benefit from it compute in float16 or bfloat16, whereas weights and other
layers remain float32.

    amp.init()                                          # before the model is created
    amp.init_trainer(trainer)
    with autograd.record():
        loss = loss_function(net(x), y)
        with amp.scale_loss(loss, trainer) as scaled:   # scales up gradients that float16 would round to 0
            autograd.backward(scaled)
    trainer.step(batch_size)                            # skipped if a gradient has overflowed

`convert_symbol`, `convert_model` and `convert_hybrid_block` insert the same conversions into a trained network.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from . import casting
from .convert import convert_bucketing_module, convert_hybrid_block, convert_model, convert_symbol
from .lists import (
    list_conditional_fp32_ops,
    list_fp32_ops,
    list_loss_output_functions,
    list_lp16_fp32_ops,
    list_lp16_ops,
    list_lp16_use_fp32_params,
    list_widest_type_cast,
)
from .loss_scaler import LossScaler, init_trainer, scale_loss, unscale

__all__ = ["LossScaler", "convert_bucketing_module", "convert_hybrid_block", "convert_model", "convert_symbol", "init",
           "init_trainer", "list_conditional_fp32_ops", "list_fp32_ops", "list_loss_output_functions",
           "list_lp16_fp32_ops", "list_lp16_ops", "list_lp16_use_fp32_params", "list_widest_type_cast", "scale_loss",
           "unscale"]

amp = sys.modules[__name__]             # a submodule in MXNet; libraries check there whether amp.init() was called
_amp_initialized = False


def init(target_dtype: str = "float16", target_precision_ops: Sequence[str] | None = None,
         conditional_fp32_ops: Sequence[tuple[str, str, Sequence[str]]] | None = None,
         fp32_ops: Sequence[str] | None = None) -> None:
    """Make the functions in `nd` and `sym`, and everything built on them, convert their inputs from now on.

    Call it once, before the model is created; a second call has no effect. The lists replace those of
    `list_lp16_ops`, `list_conditional_fp32_ops` and `list_fp32_ops`.

    target_dtype: 'float16' or 'bfloat16'.
    target_precision_ops: names of operators that compute in target_dtype.
    conditional_fp32_ops: (name, attribute, values) of operators that compute in float32 if the attribute has one of
        these values.
    fp32_ops: names of operators that compute in float32.

    Raises ArgumentError for any other dtype, and for an operator that does not exist or is in two lists.

    >>> from minigluon.contrib import amp
    >>> amp.init()
    >>> product = nd.FullyConnected(nd.ones((1, 2)), nd.ones((1, 2)), no_bias=True, num_hidden=1)
    >>> product.dtype.__name__, nd.exp(product).dtype.__name__
    ('float16', 'float32')
    """
    casting.switch_on(LossScaler, target_dtype, target_precision_ops, conditional_fp32_ops, fp32_ops)

"""Quantized operators: see `minigluon.ops.quantized`."""

from ...table import listed

listed("not written yet: export the network in float32 and quantize the file",
       "_contrib_dequantize", "_contrib_quantize", "_contrib_quantize_v2", "_contrib_quantized_act",
       "_contrib_quantized_batch_norm", "_contrib_quantized_concat", "_contrib_quantized_conv",
       "_contrib_quantized_elemwise_add", "_contrib_quantized_elemwise_mul", "_contrib_quantized_embedding",
       "_contrib_quantized_flatten", "_contrib_quantized_fully_connected", "_contrib_quantized_pooling",
       "_contrib_requantize", "_sg_mkldnn_conv", "_sg_mkldnn_fully_connected")
listed("weights of 8 or 4 bits with a scale for each group are not written yet: export the network before "
       "quantize_weights", "_contrib_weight_only_fully_connected")
listed("calibration: it runs before the network is exported", "_contrib_calibrate_entropy")

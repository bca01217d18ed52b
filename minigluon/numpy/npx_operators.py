"""The operators of `mx.npx` and `mx.sym.npx`: MXNet's names for them, and the names of the operators of `nd`."""

__all__ = ["OPERATORS"]

_SAME = ("batch_dot cast erf erfinv gamma gammaln gather_nd log_softmax one_hot pick relu reshape_like shape_array "
         "sigmoid slice smooth_l1 softmax stop_gradient topk")
# name in npx -> name of the operator
OPERATORS = {
    **{name: name for name in _SAME.split()},
    "activation": "Activation", "arange_like": "_contrib_arange_like", "batch_flatten": "Flatten",
    "batch_norm": "BatchNorm", "convolution": "Convolution", "ctc_loss": "CTCLoss", "deconvolution": "Deconvolution",
    "dropout": "Dropout", "embedding": "Embedding", "fully_connected": "FullyConnected", "group_norm": "GroupNorm",
    "instance_norm": "InstanceNorm", "layer_norm": "LayerNorm", "leaky_relu": "LeakyReLU",
    "multibox_detection": "_contrib_MultiBoxDetection", "multibox_prior": "_contrib_MultiBoxPrior",
    "multibox_target": "_contrib_MultiBoxTarget", "pooling": "Pooling", "rnn": "RNN", "roi_pooling": "ROIPooling",
    "sequence_mask": "SequenceMask",
}

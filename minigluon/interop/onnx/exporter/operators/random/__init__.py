"""Random numbers: see `minigluon.ops.random`."""

from ...table import listed
from . import pdf

__all__ = ["pdf"]

listed("random numbers: running a file twice should give the same result",
       *(f"_{kind}_{law}{end}" for law in ("exponential", "gamma", "generalized_negative_binomial",
                                           "negative_binomial", "normal", "poisson", "uniform")
         for kind, end in (("random", ""), ("random", "_like"), ("sample", ""))),
       "_random_randint", "_shuffle", "_sample_multinomial", "_sample_unique_zipfian")
listed("ONNX has no gamma function", *(f"_random_pdf_{law}" for law in (
    "dirichlet", "gamma", "generalized_negative_binomial", "negative_binomial", "poisson")))
listed("a likelihood of event sequences, for training", "_contrib_hawkesll")
listed("it belongs to the gradients of densities", "_pdf_collect", "_pdf_spread")

"""Stochastic variance-reduced gradients: a Module that corrects its steps with gradients over the entire data set.

Johnson and Zhang, "Accelerating Stochastic Gradient Descent using Predictive Variance Reduction", NIPS 2013.
"""

from . import svrg_module, svrg_optimizer

__all__ = ["svrg_module", "svrg_optimizer"]

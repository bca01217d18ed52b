"""`mx.random`: the seed. The samplers are in `nd.random`."""

from .rng import seed

__all__ = ["seed"]

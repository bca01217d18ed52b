"""`with` blocks that record, and that train."""

from ..tape import Scope

__all__ = ["pause", "predict_mode", "record", "train_mode"]


def record(train_mode: bool = True) -> Scope:
    """Record operators for `backward` inside the block.

    train_mode: True for training mode, in which Dropout drops; False for prediction mode.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * x
    >>> y.backward()
    >>> print(x.grad.asnumpy())
    [6.]
    """
    return Scope(True, train_mode)


def pause(train_mode: bool = False) -> Scope:
    """Stop recording inside the block.

    train_mode: True for training mode; False for prediction mode.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     with autograd.pause():
    ...         factor = x * 2
    ...     y = factor * x
    >>> y.backward()
    >>> print(x.grad.asnumpy())                 # factor counts as a constant
    [6.]
    """
    return Scope(False, train_mode)


def train_mode() -> Scope:
    """Dropout drops and BatchNorm learns inside the block; recording stays as it is.

    >>> with autograd.train_mode():
    ...     print(autograd.is_training(), autograd.is_recording())
    True False
    """
    return Scope(None, True)


def predict_mode() -> Scope:
    """Dropout passes and BatchNorm uses its moving statistics; recording stays as it is.

    >>> with autograd.record(), autograd.predict_mode():
    ...     print(autograd.is_training(), autograd.is_recording())
    False True
    """
    return Scope(None, False)

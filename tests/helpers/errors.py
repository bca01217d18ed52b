"""The text of an error, which tests compare word for word."""

import pytest

from minigluon.base import MXNetError


def message(kind, function, *args, **kwargs):
    """The text of the error of this kind that the call raises."""
    with pytest.raises(kind) as caught:
        function(*args, **kwargs)
    return str(caught.value.args[0] if isinstance(caught.value, KeyError) else caught.value)


def error_of(action, kind=MXNetError):
    """The same of an action that takes no arguments."""
    return message(kind, action)


def unplaced(error):
    """The text of an error without the line of the program that has written a node, which moves with the test."""
    return "\n".join(line for line in str(error).split("\n") if not line.startswith("  line: "))

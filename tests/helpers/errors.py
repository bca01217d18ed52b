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


def assert_refused(call, text, kind=MXNetError):
    """The call raises an error of this kind, and this is its first line; those after it list inputs and attributes."""
    assert error_of(call, kind).splitlines()[0] == text


def operator_of(value):
    """The operator that a message names, as an id of a test; "" of other parameters, such as the calls."""
    return value.split(":")[0] if isinstance(value, str) else ""


def unplaced(error):
    """The text of an error without the line of the program that has written a node, which moves with the test."""
    return "\n".join(line for line in str(error).split("\n") if not line.startswith("  line: "))

"""How many frames of a traceback a person sees: as many as Python prints lines `File "..."` for an uncaught error."""

import contextlib
import io
import sys


def printed(error):
    """The text that Python prints where nobody catches the error."""
    text = io.StringIO()
    with contextlib.redirect_stderr(text):
        sys.excepthook(type(error), error, error.__traceback__)
    return text.getvalue()


def count_frames(error):
    """The number of frames in it, those of its causes included."""
    return printed(error).count('  File "')


def frames_of(action):
    """The same for the error that a call of `action` raises, without the frame of the call itself."""
    try:
        action()
    except Exception as error:
        error.__traceback__ = error.__traceback__.tb_next
        return count_frames(error)
    raise AssertionError("no error was raised")

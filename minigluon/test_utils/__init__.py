"""`mx.test_utils`: what tests of programs and operators call. Failures are AssertionErrors, as tests expect them."""

from . import checks, compare, data, draw, samplers, setting
from .checks import *
from .compare import *
from .data import *
from .draw import *
from .samplers import *
from .setting import *

__all__ = [*checks.__all__, *compare.__all__, *data.__all__, *draw.__all__, *samplers.__all__, *setting.__all__]

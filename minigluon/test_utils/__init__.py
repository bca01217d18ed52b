"""`mx.test_utils`: what tests of networks and operators need. It compares arrays, checks gradients, makes data."""

from .arrays import *
from .consistency import *
from .files import *
from .generators import *
from .running import *
from .symbols import *
from .tolerances import *

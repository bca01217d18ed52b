"""`mx.test_utils`, tools for testing networks and operators: comparing arrays, checking gradients, creating data."""

from .arrays import *
from .consistency import *
from .files import *
from .generators import *
from .running import *
from .symbols import *
from .tolerances import *

"""`Symbol.bind`, `simple_bind`, `eval` and `gradient`: graphs that run on the program's own arrays."""

from .bind import bind, evaluate, gradient, simple_bind
from .executor import Executor

__all__ = ["Executor", "bind", "evaluate", "gradient", "simple_bind"]

"""The rows of the page's table of what is refused: programs, the error of a strict run, what a lenient run gives.

    @case("how the row begins", "Error: its whole text", result)
    def name(): ...

`tests/compat/test_strict_and_lenient.py` runs them all, in an empty folder each. Results are those of MXNet 1.9.1.
"""

from .table import CASES, ERROR

from . import arrays, autograd, blocks, contributed, files      # enter their cases     isort: skip

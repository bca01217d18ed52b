"""The layer `mx.np` stays thin: lines of code, as `scripts/np_lines.py` counts them."""

import pytest
from helpers.code_lines import count
from scripts.np_lines import lines_of_parts

pytestmark = pytest.mark.once
MOST_FRONT, MOST = 3300, 4900       # without and with graphs, symbol files and short calls


def test_the_layer_does_not_grow():
    sums = {part: sum(files.values()) for part, files in lines_of_parts().items()}
    assert sums["front"] <= MOST_FRONT, sums
    assert sum(sums.values()) - sums["docstrings"] <= MOST, sums


def test_what_is_counted():
    assert count('"""Text."""\nimport a\n\n# comment\ndef f():\n    """A\n    B."""\n    return (1,\n\n    2)\n') == 4

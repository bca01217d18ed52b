"""Typical mistakes of learners, each with the message that it gets and the cure: the rows of docs/mistakes.md.

    mistake("title", wrong="the lines", error="ShapeError", says="the whole text", right="the cure",
            cause="...", place="...", remedy="...")

The last three are the parts of the text that tell what was found and expected, where (operator, block, argument, file),
and what to write instead; "" where the text has no such part. `tests/package/test_mistakes.py` runs all, in an empty
folder each; `python tests/scripts/mistakes.py` prints them with their grades.
"""

from .table import MISTAKES, NAMESPACE, Mistake, run

from . import shapes, indexing, gradients, parameters, names, training, files, habits      # isort: skip

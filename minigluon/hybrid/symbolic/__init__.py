"""One plan for all shapes rather than one per shape, so that the hundredth shape costs less.

    shape_families.py       signatures that differ only in lengths, and the plan that they share
    symbolic_layout.py      its layout, with formulas in place of numbers
    symbolic_kernels.py     the kernels of an operator for any size
    size_formulas.py        all sizes as sums, if the backend evaluates them
    sized_runner.py         the runner for another size

`hybrid/lengths.py` calls this package at the second shape. Nothing else in `hybrid` knows about it.
"""

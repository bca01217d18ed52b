"""What a notebook shows of an object: HTML without scripts, and of a Symbol a drawing.

    page.py         the frame of each display: its style, tables, badges
    numbers.py      the elements at the edges of an array, as text
    arrays.py       NDArray, dense and sparse
    parameters.py   Parameter, ParameterDict
    training.py     Trainer, EvalMetric
    tree.py         a net as plain data: what is inside of what, what is counted where
    blocks.py       Block: the tree, to be folded
    symbols.py      Symbol, where it is not drawn; the drawing is that of `explain.symbol_drawing`

The classes have thin methods, `_repr_html_` and `_repr_svg_`, which Jupyter, VS Code and Colab ask; here are functions
that take the object as it is and know none of the classes, so that this floor is below all of theirs. To look changes
nothing: no parameter gets its shape, no operator runs, nothing is recorded, and of an array only the edges are read.
"""

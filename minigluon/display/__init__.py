"""Displays of objects in notebooks: HTML without scripts, and a drawing for a Symbol.

    page.py         the frame of each display: its style, tables, badges
    numbers.py      the elements at the edges of an array, as text
    arrays.py       NDArray, dense and sparse
    parameters.py   Parameter, ParameterDict
    training.py     Trainer, EvalMetric
    tree.py         a net as plain data: the nesting of blocks, and the counts for each
    blocks.py       Block: the tree, which folds
    symbols.py      Symbol, if it is not drawn; the drawing comes from `explain.symbol_drawing`

The displayed classes have thin methods, `_repr_html_` and `_repr_svg_`, which Jupyter, VS Code and Colab call. The
functions here take the object and do not import the classes, so that this layer stays below the classes' layers.
Displaying changes nothing: no parameter's shape is inferred, no operator runs, nothing is recorded, and only the edges
of an array are read.
"""

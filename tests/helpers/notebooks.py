"""Notebooks of chapters, executed as Jupyter does it."""

import os
import re

from helpers.processes import environment

__all__ = ["execute"]


def execute(path, folder, **more):
    """Run a notebook's cells in a kernel of their own, in the folder `folder`; what they print otherwise, as texts.

    more: of the kernel's environment. Raises CellExecutionError where a cell does; one that raises SystemExit ends the
    notebook, as a page's block does.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    notebook = nbformat.read(path, as_version=4)
    expected = [said(cell) for cell in notebook.cells]
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    try:
        client.execute(env={**environment(**more), "IPYTHONDIR": str(folder), "PYDEVD_DISABLE_FILE_VALIDATION": "1"})
    except CellExecutionError as error:
        if error.ename != "SystemExit":
            raise
        return []
    return [f"{os.path.basename(path)}, cell {number}: prints\n{said(cell)}\nbut the page says\n{wanted}"
            for number, (cell, wanted) in enumerate(zip(notebook.cells, expected))
            if wanted.strip() and said(cell).split() != wanted.split()]


def said(cell):
    """What a cell has printed. Where a line of the program is named, a cell has another number than the page's line."""
    text = "".join(output.text for output in cell.get("outputs", ()) if output.output_type == "stream"
                   and output.name == "stdout")
    return re.sub(r"^  line: (Cell In\[\d+\]|[\w-]+\.md):\d+: ", "  line: ", text, flags=re.MULTILINE)

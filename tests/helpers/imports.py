"""What the modules of a package import of it, read from the source: at the top, and inside functions."""

import ast

__all__ = ["Package"]


class Package:
    """The source of a package. modules: {dotted name: path}, those of Cython included, whose imports are not read."""

    def __init__(self, root):
        self.root, self.name = root, root.name
        self.modules = {self.module_name(path): path for path in sorted([*root.rglob("*.py"), *root.rglob("*.pyx")])}

    def module_name(self, path):
        parts = [self.name, *path.relative_to(self.root).with_suffix("").parts]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def python_files(self):
        return [path for path in self.modules.values() if path.suffix == ".py"]

    def imported(self, path):
        """(the names of a dotted name, line) of what a file imports of the package, at its top and in functions."""
        folder = [self.name, *path.relative_to(self.root).parts[:-1]]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                base = folder[:len(folder) - node.level + 1] if node.level else []
                source = [*base, *(node.module or "").split(".")] if node.module else base
                if source[:1] == [self.name]:
                    for alias in node.names:
                        yield [*source, alias.name], node.lineno
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] == self.name:
                        yield alias.name.split("."), node.lineno

    def owner(self, target):
        """The module that `from a.b import c` loads: a.b.c if it is one, otherwise a.b."""
        full, parent = ".".join(target), ".".join(target[:-1])
        return full if full in self.modules else parent if parent in self.modules else None

    def circle(self):
        """Modules of which each imports the next, and the last the first; [] where there are none."""
        graph = {name: set() for name in self.modules}
        for path in self.python_files():
            name = self.module_name(path)
            graph[name] = {self.owner(target) for target, _ in self.imported(path)} - {name, None}
        finished, path = set(), []

        def visit(name):
            if name in path:
                return [*path[path.index(name):], name]
            if name not in finished:
                path.append(name)
                for target in sorted(graph[name]):
                    found = visit(target)
                    if found:
                        return found
                finished.add(path.pop())
            return []
        return next(filter(None, map(visit, sorted(graph))), [])

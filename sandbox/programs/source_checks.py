"""Checks of the text of environment.py, before any of it runs."""

import ast
from pathlib import Path

import numpy as np

from sandbox.programs.findings import Finding, owner_of
from sandbox.programs.requests import CheckRequest

SOURCE_CHECKS = ("parses", "only_gymnasium_and_numpy")

# typing and __future__ change nothing at run time; the frame may use them.
ALLOWED_MODULES = frozenset({"gymnasium", "numpy", "typing", "__future__"})
FORBIDDEN_NAMES = frozenset(
    "open eval exec compile __import__ globals locals vars getattr setattr delattr input "
    "breakpoint memoryview __builtins__ __loader__ __spec__".split()
)
FORBIDDEN_ATTRIBUTES = frozenset(
    "load save savez savez_compressed loadtxt savetxt genfromtxt fromfile tofile memmap "
    "ctypeslib ctypes f2py distutils testing lib open_memmap DataSource".split()
)
ALLOWED_DUNDER_ATTRIBUTES = frozenset({"__init__"})
# The only parts of numpy.random that draw nothing from numpy's global generator.
ALLOWED_RANDOM = frozenset({"Generator"})


def check_source(request: CheckRequest) -> list[Finding]:
    """Findings about ``environment.py`` that need no running: syntax, imports, forbidden words."""
    try:
        source = Path("environment.py").read_text()
        tree = ast.parse(source)
    except (OSError, UnicodeDecodeError) as error:
        return [Finding("parses", "environment", "environment.py cannot be read", found=str(error))]
    except (SyntaxError, ValueError) as error:
        return [_syntax_finding(error)]
    visitor = _Forbidden(source.splitlines(), request.code_bodies)
    visitor.visit(tree)
    if not any(isinstance(n, ast.ClassDef) and n.name == "Environment" for n in tree.body):
        visitor.findings.append(
            Finding(
                "parses",
                "environment",
                "environment.py defines no class Environment",
                expected="class Environment(gymnasium.Env)",
            )
        )
    return visitor.findings


def _syntax_finding(error: SyntaxError | ValueError) -> Finding:
    line = getattr(error, "lineno", None)
    text = (getattr(error, "text", None) or "").strip()
    place = f"environment.py, line {line}: {text}" if line else "environment.py"
    words = getattr(error, "msg", None) or str(error)
    return Finding(
        "parses",
        "coding",
        f"environment.py is not valid Python: {words}",
        place=place,
        expected="valid Python",
        found=words,
    )


class _Forbidden(ast.NodeVisitor):
    def __init__(self, lines: list[str], code_bodies: list[str]) -> None:
        self.lines, self.code_bodies = lines, code_bodies
        self.functions: list[ast.FunctionDef] = []
        self.findings: list[Finding] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.functions.append(node)
        self.generic_visit(node)
        self.functions.pop()

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._check_module(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._check_module(node, "." * node.level + (node.module or ""))
        for alias in node.names:
            if alias.name in FORBIDDEN_ATTRIBUTES or alias.name == "random":
                self._add(node, alias.name, "numbers and arrays only; draws from self.np_random")

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in FORBIDDEN_NAMES and not self._is_argument(node.id):
            self._add(node, node.id, "code that touches only its own attributes and numpy")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        dunder = node.attr.startswith("__") and node.attr not in ALLOWED_DUNDER_ATTRIBUTES
        # A quantity may be called load or save; as self.load it is only a number.
        own = isinstance(node.value, ast.Name) and node.value.id == "self"
        if dunder or (node.attr in FORBIDDEN_ATTRIBUTES and not own):
            self._add(node, f".{node.attr}", "code that touches only its own attributes and numpy")
        if _is_numpy_random(node.value) and node.attr not in ALLOWED_RANDOM:
            # A generator of its own is nothing that the seeded one could make.
            draw = f".{node.attr}(...)" if hasattr(np.random.Generator, node.attr) else ""
            seeded = f"self.np_random{draw}, which is seeded"
            instead = f", or rng{draw} where rng is an argument" if self._is_argument("rng") else ""
            self._add(node, ast.unparse(node), seeded + instead)
        self.generic_visit(node)

    def _is_argument(self, name: str) -> bool:
        return any(
            argument.arg == name
            for function in self.functions
            for argument in (*function.args.args, *function.args.kwonlyargs)
        )

    def _check_module(self, node: ast.stmt, module: str) -> None:
        if module.split(".")[0] not in ALLOWED_MODULES:
            self._add(node, f"import of {module}", "imports of gymnasium and numpy only")

    def _add(self, node: ast.stmt | ast.expr, what: str, expected: str) -> None:
        function = self.functions[-1].name if self.functions else "the module"
        text = self.lines[node.lineno - 1].strip()
        self.findings.append(
            Finding(
                "only_gymnasium_and_numpy",
                owner_of(function, self.code_bodies),
                f"{what} is not allowed in environment.py",
                place=f"environment.py, line {node.lineno}, in {function}: {text}",
                expected=expected,
                found=what,
            )
        )


def _is_numpy_random(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "random"
        and isinstance(node.value, ast.Name)
        and node.value.id in {"np", "numpy"}
    )

"""What a heuristic must look like before it is run at all."""

import ast

from nodes.body_rules import FORBIDDEN, parsed
from sandbox.programs.source_checks import FORBIDDEN_ATTRIBUTES, FORBIDDEN_NAMES

LONGEST = 12_000
MODULES = frozenset({"numpy", "math", "itertools"})
# What the file around the function defines by itself.
TAKEN = frozenset({"act", "pack", "unpack", "np", "math", "itertools", "PARAMETERS", "DECISIONS"})


def heuristic_complaints(source: str) -> list[str]:
    """What keeps ``source`` from being the function ``heuristic(seen)``, alone or with helpers."""
    return function_complaints(source, "heuristic", "seen")


def function_complaints(source: str, name: str, argument: str) -> list[str]:
    """What keeps ``source`` from being the function ``name(argument)``, alone or with helpers."""
    tree = parsed(source, LONGEST)
    if isinstance(tree, str):
        return [tree]
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    others = [
        node
        for node in tree.body
        if not isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom)
    ]
    if others:
        return [f"line {others[0].lineno}: give functions only; constants belong inside them"]
    wanted = [function for function in functions if function.name == name]
    if len(wanted) != 1 or [given.arg for given in wanted[0].args.args] != [argument]:
        return [f"give one function that begins with 'def {name}({argument}):'"]
    if not any(isinstance(node, ast.Return) and node.value for node in ast.walk(wanted[0])):
        return [f"{name} returns nothing"]
    taken = [f.name for f in functions if f.name in TAKEN]
    complaints = [f"the name {name} is taken; call that function otherwise" for name in taken]
    return [*complaints, *(said for node in ast.walk(tree) for said in _forbidden(node))]


def _forbidden(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=names):
            modules = {alias.name for alias in names} - MODULES
            return [_not_imported(node.lineno, name) for name in sorted(modules)]
        case ast.ImportFrom(module=module, names=names):
            if module not in MODULES or node.level:
                return [_not_imported(node.lineno, str(module))]
            found = [a.name for a in names if _is_forbidden_attribute(a.name) or a.name == "*"]
            return [f"line {node.lineno}: {name} may not be imported" for name in found]
        case ast.Name(id=name) if name in FORBIDDEN | FORBIDDEN_NAMES or name.startswith("__"):
            return [f"line {node.lineno}: {name} may not be used"]
        case ast.Attribute(attr="random"):
            return [f"line {node.lineno}: nothing random; the same situation, the same decision"]
        case ast.Attribute(attr=name) if _is_forbidden_attribute(name):
            return [f"line {node.lineno}: .{name} may not be used"]
        case ast.Global() | ast.Nonlocal() | ast.ClassDef():
            return [f"line {node.lineno}: plain functions only, without global names or classes"]
    return []


def _is_forbidden_attribute(name: str) -> bool:
    return name in FORBIDDEN_ATTRIBUTES or name == "random" or name.startswith("_")


def _not_imported(line: int, name: str) -> str:
    return (
        f"line {line}: {name} may not be imported; only numpy (as np), math and itertools are there"
    )

"""What a code body must look like before it is run at all."""

import ast

from state.dynamics import CodeBody
from state.python_source import tree_of

FORBIDDEN = {
    "eval", "exec", "compile", "open", "input", "globals", "locals", "vars", "getattr", "setattr",
    "delattr", "breakpoint", "exit", "quit", "print", "memoryview", "type", "object", "super",
}  # fmt: skip

LONGEST_BODY = 8_000


def body_complaints(source: str, body: CodeBody) -> list[str]:
    """What keeps ``source`` from being the function that ``body`` asks for."""
    tree = parsed(source, LONGEST_BODY)
    if isinstance(tree, str):
        return [tree]
    wanted = signature(body)
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        return [f"give exactly one function, 'def {wanted}:', and nothing around it"]
    function = tree.body[0]
    names = [argument.arg for argument in function.args.args]
    if function.name != body.name or names != ["rng", *body.reads]:
        return [f"the function must begin with 'def {wanted}:'"]
    return [*_forbidden(function), *_returns(function, len(body.writes))]


def parsed(source: str, longest: int) -> ast.Module | str:
    """The syntax of ``source``, or the complaint that it has none or too many characters."""
    if len(source) > longest:
        return f"it is longer than {longest} characters; write it shorter"
    try:
        return ast.parse(source)
    except (RecursionError, MemoryError):
        return "it is nested too deeply; write it in several plain lines"
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        return f"it is not valid Python (line {line}): {getattr(error, 'msg', error)}"


def same_code(one: str, other: str) -> bool:
    """Whether two sources differ in nothing but comments and spaces."""
    return plain_code(one) == plain_code(other)


def plain_code(source: str) -> str:
    """What is left of ``source`` without comments and spaces, for comparison alone."""
    tree = tree_of(source)
    try:
        return source.strip() if tree is None else ast.dump(tree)
    except RecursionError:
        return source.strip()


def signature(body: CodeBody) -> str:
    """The first line of the function, without ``def`` and colon."""
    return f"{body.name}({', '.join(['rng', *body.reads])})"


def _forbidden(function: ast.FunctionDef) -> list[str]:
    found = []
    for node in ast.walk(function):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(f"line {node.lineno}: nothing is imported here; numpy is there as np")
        elif isinstance(node, ast.Name) and (node.id in FORBIDDEN or node.id.startswith("__")):
            found.append(f"line {node.lineno}: {node.id} may not be used")
        elif isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            found.append(f"line {node.lineno}: {node.attr} may not be used")
        elif _is_own_generator(node):
            found.append("random numbers come from rng only, not from np.random")
    return found


def _is_own_generator(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "random"
        and isinstance(node.value, ast.Name)
        and node.value.id == "np"
    )


def _returns(function: ast.FunctionDef, count: int) -> list[str]:
    returns = [n for n in ast.walk(function) if isinstance(n, ast.Return)]
    if not returns:
        return ["the function returns nothing"]
    for statement in returns:
        value = statement.value
        given = len(value.elts) if isinstance(value, ast.Tuple) else None
        if count > 1 and given is not None and given != count:
            return [f"line {statement.lineno}: {count} values must be returned, not {given}"]
    return []

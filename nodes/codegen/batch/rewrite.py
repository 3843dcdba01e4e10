"""Rewrites a compiled expression for one episode as one for many episodes side by side."""

import ast
from dataclasses import dataclass, field

from nodes.codegen.batch.patterns import (
    GENERATOR,
    both,
    converted,
    has_draws,
    is_basic,
    kind_of,
    line_of,
)
from nodes.codegen.symbols import Shape
from nodes.codegen.typed import call, dotted

ELEMENTWISE = frozenset(
    f"np.{name}" for name in
    "exp log log2 log10 sin cos tan tanh arctan arctan2 sqrt floor ceil round rint sign hypot "
    "clip where minimum maximum logical_and logical_or logical_not".split()
)  # fmt: skip
REDUCTIONS = frozenset(
    f"np.{name}" for name in "sum mean prod min max any all argmin argmax".split()
)
RENAMED = {
    "min": "least", "max": "greatest", "abs": "np.abs", "np.dot": "inner", "np.append": "joined",
}  # fmt: skip
METHODS = frozenset("normal lognormal uniform integers exponential poisson binomial choice".split())


class Unbatchable(ValueError):
    """There is something in the code that is not known to do the same for many episodes."""


@dataclass
class Rewriter:
    """Rewrites expressions over the attributes of one environment.

    ``attributes`` gives each attribute's name in the code for many episodes, ``shapes`` the
    shape that it has in one episode.
    """

    attributes: dict[str, str]
    shapes: dict[str, Shape]
    _where: ast.expr | None = None
    """In which episodes the part that is being rewritten is evaluated; None: in all."""
    _named: int = field(default=0)

    def value(self, source: str, kind: str, *, where: str = "") -> str:
        """``source`` for many episodes; with ``where``, draws count in those episodes only.

        A conversion to ``kind`` that encloses everything is left to the caller.

        Raises:
            Unbatchable: ``source`` holds what is not known here.
        """
        self._where = ast.Name(where, ast.Load()) if where else None
        node = self._visit(converted(ast.parse(source, mode="eval").body, kind))
        return ast.unparse(ast.fix_missing_locations(node))

    def _visit(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Constant(value=bool() | int() | float()):
                return node
            case ast.Name(id=name) if name.startswith("previous_") and name in self.shapes:
                return node
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in self.attributes:
                return dotted(f"self.{self.attributes[name]}")
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return call("np.logical_not", self._visit(operand))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                return ast.UnaryOp(node.op, self._visit(operand))
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.FloorDiv()
                           | ast.Mod() | ast.Pow()):  # fmt: skip
                return ast.BinOp(self._visit(node.left), node.op, self._visit(node.right))
            case ast.Compare(ops=[ast.Eq() | ast.NotEq() | ast.Lt() | ast.LtE() | ast.Gt()
                                  | ast.GtE()], comparators=[right]):  # fmt: skip
                return ast.Compare(self._visit(node.left), node.ops, [self._visit(right)])
            case ast.BoolOp():
                return self._logical(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Subscript():
                return self._element(node)
            case ast.Call():
                return self._call(node)
        raise Unbatchable(f"{ast.unparse(node)} cannot be worked out for many episodes at once")

    # -- what one episode evaluates in part only -----------------------------------------------

    def _logical(self, node: ast.BoolOp) -> ast.expr:
        conjunction = isinstance(node.op, ast.And)
        function = "np.logical_and" if conjunction else "np.logical_or"
        outer = self._where
        result = self._visit(node.values[0])
        for value in node.values[1:]:
            if has_draws(value):
                result, name = self._name(result)
                self._where = both(outer, name if conjunction else call("np.logical_not", name))
            result = call(function, result, self._visit(value))
            self._where = outer
        return result

    def _choice(self, node: ast.IfExp) -> ast.expr:
        test = self._visit(node.test)
        outer = self._where
        if not has_draws(node.body) and not has_draws(node.orelse):
            return call("np.where", test, self._visit(node.body), self._visit(node.orelse))
        test, name = self._name(test)
        self._where = both(outer, name)
        body = self._visit(node.body)
        self._where = both(outer, call("np.logical_not", name))
        orelse = self._visit(node.orelse)
        self._where = outer
        return call("np.where", test, body, orelse)

    def _name(self, condition: ast.expr) -> tuple[ast.expr, ast.expr]:
        """``condition`` with a name given to it on the way, and that name."""
        self._named += 1
        name = f"taken_{self._named}"
        return ast.NamedExpr(ast.Name(name, ast.Store()), condition), ast.Name(name, ast.Load())

    # -- elements ------------------------------------------------------------------------------

    def _element(self, node: ast.Subscript) -> ast.expr:
        value = self._visit(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if all(is_basic(part) for part in parts):
            return ast.Subscript(value, node.slice, ast.Load())
        axes = [axis for axis, part in enumerate(parts) if not isinstance(part, ast.Slice)]
        sliced = len(axes) < len(parts)
        if sum(self._may_be_several(parts[axis]) for axis in axes) > (0 if sliced else 1):
            raise Unbatchable(f"{ast.unparse(node)}: several elements along several axes")
        if sliced:
            cuts: list[ast.expr] = [
                part if isinstance(part, ast.Slice) else ast.Slice() for part in parts
            ]
            value = ast.Subscript(value, ast.Tuple(cuts, ast.Load()), ast.Load())
            ends = ast.parse(f"{axes}, {list(range(len(axes)))}", mode="eval").body
            assert isinstance(ends, ast.Tuple)
            value = call("np.moveaxis", value, *ends.elts)
        return call("element", value, *(self._position(parts[axis]) for axis in axes))

    def _position(self, node: ast.expr) -> ast.expr:
        return ast.Call(
            dotted("np.asarray"),
            [self._visit(converted(node, "int"))],
            [ast.keyword("dtype", ast.Name("int", ast.Load()))],
        )

    def _may_be_several(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant() | ast.Call(func=ast.Name(id="int")):
                return False
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self.shapes.get(name) != ()
            case ast.Name(id=name):
                return self.shapes.get(name) != ()
        return True

    # -- calls ---------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> ast.expr:
        name = ast.unparse(node.func)
        if name.startswith(GENERATOR) and name.removeprefix(GENERATOR) in METHODS:
            return self._draw(node, name.removeprefix(GENERATOR))
        kind = kind_of(node)
        if kind is not None:
            return ast.Call(
                dotted("np.asarray"),
                [self._visit(node.args[0])],
                [ast.keyword("dtype", ast.Name(kind, ast.Load()))],
            )
        match name, node.args, node.keywords:
            case "np.array", [ast.List(elts=items)], []:
                return call("stacked", *(self._visit(item) for item in items))
            case "np.concatenate", [ast.List(elts=items)], []:
                return call("joined", *(self._visit(line_of(item)) for item in items))
            case "np.arange", [ast.Constant(value=int())], []:
                return ast.parse(f"{ast.unparse(node)}[:, np.newaxis]", mode="eval").body
            case "np.cumsum" | "np.sort", [values], []:
                axis = ast.keyword("axis", ast.Constant(0))
                return ast.Call(node.func, [self._visit(values)], [axis])
            case "np.clip", [values, *bounds], []:
                return call(name, self._visit(values), *(self._bound(bound) for bound in bounds))
            case _, [values], [] if name in REDUCTIONS:
                return call("over", dotted(name), self._visit(values))
            case _, arguments, [] if name in ELEMENTWISE or name in RENAMED:
                return call(RENAMED.get(name, name), *(self._visit(a) for a in arguments))
        raise Unbatchable(f"{ast.unparse(node)} cannot be worked out for many episodes at once")

    def _bound(self, node: ast.expr) -> ast.expr:
        return node if isinstance(node, ast.Constant) and node.value is None else self._visit(node)

    def _draw(self, node: ast.Call, method: str) -> ast.expr:
        parameters = [self._visit(argument) for argument in node.args]
        size: list[ast.expr] = []
        for keyword in node.keywords:
            match keyword:
                case ast.keyword(arg="size", value=ast.Constant() as length):
                    size = [length]
                case ast.keyword(arg="size", value=ast.Tuple(elts=lengths)):
                    size = lengths
                case ast.keyword(arg="p", value=weights) if method == "choice":
                    parameters.append(self._visit(weights))
                case ast.keyword(arg="endpoint", value=ast.Constant(value=True)):
                    pass
                case _:
                    raise Unbatchable(f"{ast.unparse(node)}: {keyword.arg} is not known here")
        if method == "integers" and "endpoint" not in {k.arg for k in node.keywords}:
            raise Unbatchable(f"{ast.unparse(node)}: without its highest number")
        keywords = [ast.keyword("size", ast.Tuple([*size, dotted("self.size")], ast.Load()))]
        if self._where is not None:
            keywords.append(ast.keyword("where", self._where))
        return ast.Call(dotted("self.draws"), [ast.Constant(method), *parameters], keywords)

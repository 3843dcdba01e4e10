"""Compiles an expression of the specification to numpy source, with shapes and units.

Values are kept in the units in which they were declared. Where the two sides of a sum, a
comparison or an assignment have units of one dimension but of different size, a factor is put
in; a rate beside an amount is taken over one step. Quantities in decibels stand for their ratio
or linear power, unless the result itself is in decibels: then the whole expression computes in
decibels. Nothing else is converted.
"""

import ast
from dataclasses import InitVar, dataclass, replace

from nodes.codegen import units
from nodes.codegen.constants import constant_value
from nodes.codegen.distributions import compile_distribution
from nodes.codegen.functions import compile_function
from nodes.codegen.symbols import Shape, SymbolTable
from nodes.codegen.typed import (
    Typed,
    binary,
    boolean,
    broadcast,
    call,
    common_dtype,
    indexed,
    say_shape,
    times,
)
from nodes.codegen.unit_alignment import UnitAlignment
from nodes.codegen.units import PhysicalUnit, Unit
from state.expressions import CONSTANTS, DISTRIBUTIONS, ExpressionError, parse

_FORGIVING: dict[type[ast.cmpop], str] = {
    ast.LtE: "at_most",
    ast.GtE: "at_least",
    ast.Eq: "equal",
}
HAND_FACTORS = {1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9}


@dataclass
class ExpressionCompiler:
    """Compiles expressions over one symbol table.

    ``step_length`` (a unit such as ``15 minute``, as number and pint unit) turns rates into
    amounts per step where one is needed for the other.
    """

    symbols: SymbolTable
    step_length: InitVar[tuple[float, PhysicalUnit] | None] = None
    generator: str = "self.np_random"
    allow_random: bool = False
    tolerant: bool = False
    """Compare with ``at_most``, ``at_least`` and ``equal``, which forgive rounding."""
    _mode: str = ""
    _size: Shape = ()
    _labels: tuple[str, ...] = ()

    def __post_init__(self, step_length: tuple[float, PhysicalUnit] | None) -> None:
        self.alignment = UnitAlignment(step_length)

    @property
    def remarks(self) -> list[str]:
        """What a reader should know of the expressions compiled so far."""
        return self.alignment.remarks

    def compile(
        self,
        text: str,
        target: Unit | None = None,
        shape: Shape | None = None,
        labels: tuple[str, ...] = (),
    ) -> tuple[str, Typed]:
        """Compile ``text`` to Python source that yields a number in ``target``.

        ``shape`` is that of the quantity that takes the value (a scalar may fill a vector), and
        ``labels`` are its named options, which may stand for their numbers.

        Raises:
            ExpressionError: names that resolve to nothing, shapes that do not fit, and whatever
                :func:`state.expressions.parse` raises.
        """
        tree = parse(text)
        self._mode = target.kind if target is not None and target.kind != "linear" else ""
        self._size = shape or ()
        self._labels = labels
        typed = self._visit(tree)
        if shape is not None and typed.shape not in ((), shape):
            raise ExpressionError(
                f"gives {say_shape(typed.shape)} where {say_shape(shape)} is needed: {text!r}"
            )
        if target is not None and not self._mode:
            typed = self.alignment.settle(typed, target)
        elif typed.unit.dimensionless and not typed.atomic:
            typed = self.alignment.scale(typed, units.registry().Unit(""))
        return ast.unparse(ast.fix_missing_locations(typed.node)), typed

    # -- nodes ---------------------------------------------------------------------------------

    def _visit(self, node: ast.expr) -> Typed:
        method = getattr(self, f"_visit_{type(node).__name__.lower()}", None)
        if method is None:
            raise ExpressionError(f"{type(node).__name__} cannot stand here")
        result: Typed = method(node)
        return result

    def _visit_constant(self, node: ast.Constant) -> Typed:
        if isinstance(node.value, str) and node.value in self._labels:
            node = ast.Constant(self._labels.index(node.value))
        elif isinstance(node.value, str):
            raise ExpressionError(
                f"the word {node.value!r} can only be compared with a choice that has labels"
            )
        dtype = (
            "boolean"
            if isinstance(node.value, bool)
            else "integer"
            if isinstance(node.value, int)
            else "real"
        )
        return Typed(node, (), units.registry().Unit(""), dtype, bare=True)

    def _visit_name(self, node: ast.Name) -> Typed:
        if node.id.lower() in CONSTANTS and node.id not in self.symbols:
            return self._visit_constant(ast.Constant(CONSTANTS[node.id.lower()]))
        if node.id not in self.symbols:
            raise ExpressionError(
                f"{node.id!r} is neither a parameter nor a variable; "
                f"{self.symbols.nearest(node.id)}"
            )
        symbol = self.symbols[node.id]
        source = ast.parse(symbol.source, mode="eval").body
        typed = Typed(
            source, symbol.shape, symbol.unit.linear, symbol.dtype, False, True, symbol.labels
        )
        if symbol.unit.kind == "linear":
            return replace(typed, clock=node.id == "time_step")
        if self._mode == "decibel":
            none = units.registry().Unit("")
            return replace(typed, unit=none, relative="decibel")
        power = binary(ast.Constant(10.0), ast.Pow(), binary(source, ast.Div(), ast.Constant(10)))
        return replace(typed, node=power, atomic=False, dtype="real")

    def _visit_list(self, node: ast.List) -> Typed:
        items = [self._visit(item) for item in node.elts]
        if not items:
            raise ExpressionError("an empty list has no value")
        if len({item.shape for item in items}) != 1:
            raise ExpressionError("the items of a list must have one shape")
        items = self.alignment.unify(items, "a list")
        array = call("np.array", ast.List([item.node for item in items], ast.Load()))
        return Typed(
            array,
            (len(items), *items[0].shape),
            items[0].unit,
            common_dtype(items),
            all(item.bare for item in items),
        )

    _visit_tuple = _visit_list

    def _visit_unaryop(self, node: ast.UnaryOp) -> Typed:
        operand = self._visit(node.operand)
        if isinstance(node.op, ast.Not | ast.Invert):
            truth = self._truth(operand)
            if truth.shape == ():
                return replace(truth, node=ast.UnaryOp(ast.Not(), truth.node))
            return replace(truth, node=call("np.logical_not", truth.node))
        number = self._number(operand)
        return replace(number, node=ast.UnaryOp(node.op, number.node), labels=())

    def _visit_boolop(self, node: ast.BoolOp) -> Typed:
        return self._logical(
            [self._visit(value) for value in node.values],
            "np.logical_and" if isinstance(node.op, ast.And) else "np.logical_or",
        )

    def _logical(self, operands: list[Typed], function: str) -> Typed:
        parts = [self._truth(operand) for operand in operands]
        shape = broadcast(*(part.shape for part in parts))
        if shape == ():
            op: ast.boolop = ast.And() if function == "np.logical_and" else ast.Or()
            return boolean(ast.BoolOp(op, [part.node for part in parts]), ())
        result = parts[0].node
        for part in parts[1:]:
            result = call(function, result, part.node)
        return boolean(result, shape)

    def _visit_compare(self, node: ast.Compare) -> Typed:
        sides = [node.left, *node.comparators]
        results = [
            self._compare_pair(left, op, right)
            for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return results[0] if len(results) == 1 else self._logical(results, "np.logical_and")

    def _compare_pair(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Typed:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                return self._compare_label(one.value, op, other)
        outer = self._mode
        self._mode = outer or self._relative_kind(left, right)
        pair = self.alignment.unify([self._visit(left), self._visit(right)], "a comparison")
        self._mode = outer
        shape = broadcast(pair[0].shape, pair[1].shape)
        forgiving = _FORGIVING.get(type(op)) if self.tolerant else None
        if forgiving is not None:
            return boolean(call(forgiving, pair[0].node, pair[1].node), shape)
        return boolean(ast.Compare(pair[0].node, [op], [pair[1].node]), shape)

    def _compare_label(self, label: str, op: ast.cmpop, other: ast.expr) -> Typed:
        choice = self._visit(other)
        if label not in choice.labels:
            known = ", ".join(choice.labels) or "it has none"
            raise ExpressionError(f"{label!r} is no label of {ast.unparse(other)}; labels: {known}")
        index = ast.Constant(choice.labels.index(label))
        return boolean(ast.Compare(choice.node, [op], [index]), choice.shape)

    def _relative_kind(self, *sides: ast.expr) -> str:
        """Decibel (or per-cent) comparisons with literals compare the plain numbers."""
        kinds = []
        for side in sides:
            inner = side
            while isinstance(inner, ast.UnaryOp | ast.Subscript):
                inner = inner.operand if isinstance(inner, ast.UnaryOp) else inner.value
            if isinstance(inner, ast.Constant):
                continue
            if not (isinstance(inner, ast.Name) and inner.id in self.symbols):
                return ""
            kinds.append(self.symbols[inner.id].unit.kind)
        same = len(set(kinds)) == 1 and kinds[0] != "linear"
        return kinds[0] if same else ""

    def _visit_ifexp(self, node: ast.IfExp) -> Typed:
        return self._where([self._visit(n) for n in (node.test, node.body, node.orelse)])

    def _where(self, parts: list[Typed]) -> Typed:
        test = self._truth(parts[0])
        yes, no = self.alignment.unify(parts[1:], "a choice between two values")
        shape = broadcast(test.shape, yes.shape, no.shape)
        if shape == ():
            node: ast.expr = ast.IfExp(test.node, yes.node, no.node)
        else:
            node = call("np.where", test.node, yes.node, no.node)
        return replace(
            yes, node=node, shape=shape, dtype=common_dtype([yes, no]), bare=yes.bare and no.bare
        )

    def _visit_binop(self, node: ast.BinOp) -> Typed:
        if isinstance(node.op, ast.BitAnd | ast.BitOr):
            function = "np.logical_and" if isinstance(node.op, ast.BitAnd) else "np.logical_or"
            return self._logical([self._visit(node.left), self._visit(node.right)], function)
        if isinstance(node.op, ast.Pow):
            return self._power(node)
        left, right = self._number(self._visit(node.left)), self._number(self._visit(node.right))
        shape = broadcast(left.shape, right.shape)
        if isinstance(node.op, ast.Mult | ast.Div | ast.FloorDiv):
            return self._product(node, left, right, shape)
        left, right = self.alignment.unify([left, right], "a sum")
        return replace(
            left if right.bare else right,
            node=binary(left.node, node.op, right.node),
            shape=shape,
            dtype=common_dtype([left, right]),
            bare=left.bare and right.bare,
            labels=(),
        )

    def _product(self, node: ast.BinOp, left: Typed, right: Typed, shape: Shape) -> Typed:
        self._notice_hand_factor(node, left, right)
        if isinstance(node.op, ast.FloorDiv):
            left, right = self.alignment.in_one_unit(left, right)
        multiplied = isinstance(node.op, ast.Mult)
        whole = common_dtype([left, right]) == "integer" and not isinstance(node.op, ast.Div)
        return Typed(
            binary(left.node, node.op, right.node),
            shape,
            left.unit * right.unit if multiplied else left.unit / right.unit,
            "integer" if whole else "real",
            left.bare and right.bare,
            # Three times what is in per cent is still in per cent.
            atomic=(left.atomic and right.bare) or (multiplied and left.bare and right.atomic),
            relative=left.relative or right.relative,
        )

    def _power(self, node: ast.BinOp) -> Typed:
        decibels = self._decibel_exponent(node)
        if decibels is not None:
            return decibels
        base, exponent = self._number(self._visit(node.left)), self._number(self._visit(node.right))
        exponent = self.alignment.scale(exponent, units.registry().Unit(""))
        shape = broadcast(base.shape, exponent.shape)
        unit = base.unit
        if not unit.dimensionless:
            try:
                unit = unit ** constant_value(node.right, self.symbols)
            except ExpressionError:
                self.remarks.append(f"a power of {unit} with an exponent that changes")
                unit = units.registry().Unit("")
        else:
            base = self.alignment.scale(base, units.registry().Unit(""))
            unit = base.unit
        # A float base keeps powers of integers from growing without bound or failing on
        # negative exponents.
        if isinstance(base.node, ast.Constant) and isinstance(base.node.value, int):
            base = replace(base, node=ast.Constant(float(base.node.value)))
        elif base.dtype != "real":
            base = replace(base, node=times(1.0, base.node))
        return Typed(
            binary(base.node, ast.Pow(), exponent.node), shape, unit, "real",
            base.bare and exponent.bare,
        )  # fmt: skip

    def _decibel_exponent(self, node: ast.BinOp) -> Typed | None:
        """``10 ** (x / 10)`` with x in decibels says in the formula what a name already means."""
        exponent = node.right
        if not (isinstance(node.left, ast.Constant) and node.left.value == 10):
            return None
        if self._mode == "decibel" or not isinstance(exponent, ast.BinOp):
            return None
        mentioned = {n.id for n in ast.walk(exponent) if isinstance(n, ast.Name)}
        logarithmic = [
            n for n in mentioned if n in self.symbols and self.symbols[n].unit.kind == "decibel"
        ]
        if not logarithmic:
            return None
        inner = exponent.left
        tenth = isinstance(exponent.right, ast.Constant) and exponent.right.value == 10
        plain = isinstance(inner, ast.Name | ast.Subscript)
        if isinstance(exponent.op, ast.Div) and tenth and plain:
            return self._visit(inner)
        raise ExpressionError(
            f"{', '.join(logarithmic)} is in decibels and is converted to a linear value by "
            f"itself wherever it is used: write {logarithmic[0]} instead of 10**(...)"
        )

    def _visit_subscript(self, node: ast.Subscript) -> Typed:
        value = self._visit(node.value)
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(indices) > len(value.shape):
            raise ExpressionError(
                f"{ast.unparse(node.value)} is {say_shape(value.shape)} and cannot be indexed so"
            )
        shape: Shape = ()
        parts: list[ast.expr] = []
        for size, index in zip(value.shape, indices, strict=False):
            part, kept = self._index(index, size)
            parts.append(part)
            shape += kept
        shape += value.shape[len(indices) :]
        inside: ast.expr = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
        # A relative quantity was converted before it is indexed: index first, convert the one.
        return replace(value, node=indexed(value.node, inside), shape=shape)

    def _index(self, node: ast.expr, size: int) -> tuple[ast.expr, Shape]:
        if isinstance(node, ast.Slice):
            return self._slice(node, size)
        outer, self._mode = self._mode, ""
        index = self._visit(node)
        self._mode = outer
        if index.dtype == "boolean" and index.shape:
            raise ExpressionError(
                f"{ast.unparse(node)} is a condition, no index: write where({ast.unparse(node)}, "
                "x, 0) inside sum() and the like"
            )
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= size:
            raise ExpressionError(f"index {node.value} is past the last one, {size - 1}")
        # What numpy rounds is still a float to it, so only plain names and numbers stay.
        plain = isinstance(index.node, ast.Constant | ast.Attribute | ast.Subscript)
        if index.dtype == "integer" and plain:
            return index.node, index.shape
        if index.shape == ():
            return call("int", index.node), ()
        return call("np.asarray", index.node, ast.Name("int", ast.Load())), index.shape

    def _slice(self, node: ast.Slice, size: int) -> tuple[ast.expr, Shape]:
        bounds: list[int | None] = []
        for bound in (node.lower, node.upper, node.step):
            if bound is None:
                bounds.append(None)
                continue
            number = constant_value(bound, self.symbols)
            if not float(number).is_integer():
                raise ExpressionError("the ends of a slice must be whole numbers")
            bounds.append(int(number))
        length = len(range(*slice(*bounds).indices(size)))
        if length == 0:
            raise ExpressionError("a slice that holds nothing has no value")
        return ast.Slice(*(None if b is None else ast.Constant(b) for b in bounds)), (length,)

    def _visit_call(self, node: ast.Call) -> Typed:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in DISTRIBUTIONS:
            if not self.allow_random:
                raise ExpressionError(f"{name}() is random; here nothing may be drawn")
            return compile_distribution(self, name, node.args)
        return compile_function(self, name, node.args)

    # -- helpers for the function table --------------------------------------------------------

    def visit_all(self, nodes: list[ast.expr]) -> list[Typed]:
        """Compile several arguments as numbers."""
        return [self._number(self._visit(node)) for node in nodes]

    def unify(self, parts: list[Typed], where: str) -> list[Typed]:
        """All of ``parts`` in one unit; literals take that of their neighbours."""
        return self.alignment.unify(parts, where)

    def plain(self, typed: Typed) -> Typed:
        """See :meth:`nodes.codegen.unit_alignment.UnitAlignment.plain`."""
        return self.alignment.plain(typed)

    def choose(self, parts: list[Typed]) -> Typed:
        """``where(test, yes, no)``."""
        return self._where(parts)

    def condition(self, node: ast.expr) -> Typed:
        """Compile ``node`` as a condition."""
        return self._truth(self._visit(node))

    def in_mode(self, mode: str, node: ast.expr) -> Typed:
        """Compile ``node`` with relative units of kind ``mode`` read as their plain numbers."""
        outer, self._mode = self._mode, mode
        typed = self._number(self._visit(node))
        self._mode = outer
        return typed

    def whole_number(self, node: ast.expr) -> int:
        """Value of ``node`` where it is a positive whole number that is known beforehand.

        Raises:
            ExpressionError: it is not.
        """
        typed = self._visit(node)
        if isinstance(typed.node, ast.Constant) and isinstance(typed.node.value, int):
            return typed.node.value
        value = constant_value(node, self.symbols)
        if not value.is_integer() or value < 1:
            raise ExpressionError(f"{ast.unparse(node)!r} is no positive whole number")
        return int(value)

    @property
    def in_decibels(self) -> bool:
        """True while the result being compiled is in decibels."""
        return self._mode == "decibel"

    @property
    def size(self) -> Shape:
        """Shape of the quantity that takes the value being compiled."""
        return self._size

    def _number(self, typed: Typed) -> Typed:
        """Conditions count as 0 and 1; numpy's own sum of two conditions would be a condition."""
        if typed.dtype != "boolean":
            return typed
        return replace(
            typed, node=binary(ast.Constant(1), ast.Mult(), typed.node), dtype="integer",
            bare=False,
        )  # fmt: skip

    def _truth(self, typed: Typed) -> Typed:
        if typed.dtype == "boolean":
            return typed
        return boolean(ast.Compare(typed.node, [ast.NotEq()], [ast.Constant(0)]), typed.shape)

    def _notice_hand_factor(self, node: ast.BinOp, left: Typed, right: Typed) -> None:
        for literal, other in ((node.right, left), (node.left, right)):
            is_factor = isinstance(literal, ast.Constant) and literal.value in HAND_FACTORS
            if is_factor and other.atomic and not other.unit.dimensionless:
                self.remarks.append(
                    f"units are converted by themselves: drop the factor {ast.unparse(literal)} "
                    f"beside the quantity in {other.unit}"
                )

"""What the names in an expression stand for."""

from collections.abc import Callable
from dataclasses import dataclass, field

from nodes.codegen.attributes import attribute
from nodes.codegen.units import Unit, parse_unit
from state.parameters import Parameter, Value
from state.variables import Variable

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Symbol:
    """A name that expressions may use.

    ``source`` is the Python that reads it; ``value`` is known for parameters only.
    """

    name: str
    source: str
    shape: Shape
    unit: Unit
    dtype: str
    labels: tuple[str, ...] = ()
    value: Value | None = None


@dataclass
class SymbolTable:
    """All names of one specification, and where the generated code finds them."""

    symbols: dict[str, Symbol] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.symbols

    def __getitem__(self, name: str) -> Symbol:
        return self.symbols[name]

    @classmethod
    def of(
        cls,
        parameters: list[Parameter],
        variables: list[Variable],
        parameter_source: Callable[[str], str] = attribute,
        variable_source: Callable[[str], str] = attribute,
        previous_source: Callable[[str], str] = "previous_{}".format,
    ) -> "SymbolTable":
        """Table over ``parameters`` and ``variables``.

        Each source gives the Python that reads a name; the clock is kept like a variable.
        """
        table: dict[str, Symbol] = {}
        for p in parameters:
            whole = isinstance(p.value, float) and p.value.is_integer()
            table[p.name] = Symbol(
                p.name,
                parameter_source(p.name),
                p.shape,
                parse_unit(p.unit),
                "integer" if whole else "real",
                value=p.value,
            )
        for v in variables:
            shape, unit, labels = tuple(v.shape), parse_unit(v.unit), tuple(v.labels)
            source = variable_source(v.name)
            table[v.name] = Symbol(v.name, source, shape, unit, v.dtype, labels)
            previous = f"previous_{v.name}"
            table[previous] = Symbol(
                previous, previous_source(v.name), shape, unit, v.dtype, labels
            )
        clock = variable_source("time_step")
        table["time_step"] = Symbol("time_step", clock, (), parse_unit(""), "integer")
        return cls(table)

    def nearest(self, name: str) -> str:
        """A phrase naming known names that look like ``name``, for messages."""
        import difflib

        close = difflib.get_close_matches(name, list(self.symbols), n=3, cutoff=0.5)
        known = close or sorted(n for n in self.symbols if not n.startswith("previous_"))[:30]
        return ("did you mean " if close else "known names: ") + ", ".join(known)

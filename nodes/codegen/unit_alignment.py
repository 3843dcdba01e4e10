"""Bringing the parts of an expression into one unit, where their units ask for it."""

import ast
from dataclasses import dataclass, field, replace

from nodes.codegen import units
from nodes.codegen.typed import Typed, broadcast, times
from nodes.codegen.units import PhysicalUnit, Unit


@dataclass
class UnitAlignment:
    """Converts between units of one dimension, and between rates and amounts of one step.

    ``step_length`` (a unit such as ``15 minute``, as number and pint unit) says how long a step
    is. ``remarks`` collects what a reader should know: what was taken over one step, and units
    that do not fit.
    """

    step_length: tuple[float, PhysicalUnit] | None = None
    remarks: list[str] = field(default_factory=list)

    def settle(self, typed: Typed, target: Unit) -> Typed:
        """``typed`` in the unit of the quantity that takes it; without one, as an amount."""
        none = units.registry().Unit("")
        if target.text:
            return self.align(typed, target.linear, f"the result, which is in {target.text},")
        if self.step_length and units.time_ratio(typed.unit, none) == 1:
            return self.over_step(typed, none, 1)
        if typed.unit.dimensionless and not typed.atomic:
            return self.scale(typed, none)
        return typed

    def unify(self, parts: list[Typed], where: str) -> list[Typed]:
        """All of ``parts`` in one unit; literals take that of their neighbours.

        ``where`` names the place for remarks.
        """
        shapes = [part.shape for part in parts]
        if where != "a list":
            broadcast(*shapes)
        none = units.registry().Unit("")
        if any(self._is_whole(part) for part in parts) and self.step_length:
            # 1 - x with x a rate: what is left after one step.
            parts = [
                self.over_step(part, none, 1) if units.time_ratio(part.unit, none) == 1 else part
                for part in parts
            ]
        physical = [part for part in parts if not part.bare]
        if not physical:
            return parts
        leader = self._leader(physical)
        if any(self._is_whole(part) for part in parts) and leader.unit == units.percent():
            # 1 - x and 1 + x with x in per cent: the one is the whole.
            return [self.scale(part, none) for part in parts]
        if not leader.atomic and leader.unit.dimensionless:
            leader = replace(leader, unit=none)
        if leader.clock and any(units.is_time(part.unit) for part in physical):
            leader = next(part for part in physical if units.is_time(part.unit))
        return [self.align(part, leader.unit, where) for part in parts]

    def plain(self, typed: Typed) -> Typed:
        """``typed`` as a pure number, as distributions and functions such as exp need it.

        A ratio of like quantities is taken to 1, a rate over one step to the number that it
        makes; any other quantity stands for its number in its own unit.
        """
        none = units.registry().Unit("")
        if typed.unit.dimensionless:
            return self.scale(typed, none)
        if units.time_ratio(typed.unit, none) == 1 and self.step_length:
            return self.over_step(typed, none, 1)
        return replace(typed, unit=none, atomic=False)

    def in_one_unit(self, left: Typed, right: Typed) -> tuple[Typed, Typed]:
        """Numerator and denominator in one unit, so that whole parts are counted rightly."""
        if left.bare or right.bare or left.relative or right.relative:
            return left, right
        if units.factor_between(left.unit, right.unit) is None:
            return left, right
        return self.scale(left, right.unit), right

    def align(self, typed: Typed, unit: PhysicalUnit, where: str) -> Typed:
        """``typed`` in ``unit``; where that cannot be, the plain number, and a remark."""
        if typed.bare or typed.relative or typed.unit == unit:
            return replace(typed, unit=unit)
        if typed.clock and units.is_time(unit) and self.step_length:
            length, length_unit = self.step_length
            return self.scale(replace(typed, node=times(length, typed.node), unit=length_unit,
                                        clock=False, dtype="real"), unit)  # fmt: skip
        if units.factor_between(typed.unit, unit) is not None:
            return self.scale(typed, unit)
        ratio = units.time_ratio(typed.unit, unit)
        if ratio and self.step_length:
            return self.over_step(typed, unit, ratio)
        if not typed.unit.dimensionless and not unit.dimensionless:
            self.remarks.append(
                f"units do not fit in {where}: {typed.unit or 'no unit'} beside {unit}"
            )
        return replace(typed, unit=unit)

    def over_step(self, typed: Typed, unit: PhysicalUnit, ratio: int) -> Typed:
        """A rate as the amount of one step (``ratio`` 1), or an amount as a rate (-1)."""
        assert self.step_length is not None
        length, length_unit = self.step_length
        factor = units.factor_between(typed.unit * length_unit**ratio, unit)
        if factor is None:
            return replace(typed, unit=unit)
        factor *= length**ratio
        self.remarks.append(f"{typed.unit} was taken over one step to give {unit or 'a number'}")
        return replace(typed, node=times(factor, typed.node), unit=unit, atomic=False, dtype="real")

    def scale(self, typed: Typed, unit: PhysicalUnit) -> Typed:
        """``typed`` in a unit of the same dimension; a literal simply takes the unit."""
        if typed.bare or typed.relative:
            return replace(typed, unit=unit)
        factor = units.factor_between(typed.unit, unit)
        if factor is None or factor == 1.0:
            return replace(typed, unit=unit)
        return replace(typed, node=times(factor, typed.node), unit=unit, atomic=False, dtype="real")

    def _leader(self, physical: list[Typed]) -> Typed:
        """The part whose unit the others take: an amount rather than a rate of it."""
        first = physical[0]
        amount = next((p for p in physical if units.time_ratio(first.unit, p.unit) == 1), None)
        return amount if amount is not None and self.step_length else first

    def _is_whole(self, part: Typed) -> bool:
        return part.bare and isinstance(part.node, ast.Constant) and part.node.value in (1, 1.0)

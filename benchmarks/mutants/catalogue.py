"""All mutants: a name, a task, and a specification beside an environment, one of them wrong."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.frozen_specs import frozen_spec
from benchmarks.mutants import drone, inventory, standard, wireless
from benchmarks.mutants.edits import Passages, SpecEdit, replaced
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.render import render_environment
from state.spec import Spec

FOLDER = Path(__file__).parent / "environments"
TASKS = ["wireless", "inventory-management", "drone-delivery", "cart-pole", "mountain-car"]


NO_FAULTS = {"drone-delivery": ("horizon off by one", "never ends")}
"""Edits that change nothing: every flight costs energy, which is used up before the horizon."""


@dataclass(frozen=True)
class Mutant:
    """``wrong`` says which of the two is: 'environment', 'spec', or 'nothing'.

    ``environment`` is the text of environment.py, empty for a standard environment that needs none
    and for a specification that cannot be compiled.
    """

    task: str
    name: str
    wrong: str
    spec: Spec
    environment: str

    @property
    def key(self) -> str:
        """Task and name."""
        return f"{self.task}: {self.name}"


def right(task: str) -> Mutant:
    """The right specification and environment of a task."""
    spec = frozen_spec(task)
    return Mutant(task, "right", "nothing", spec, _environment(spec) or _standard(spec))


def mutants(task: str) -> Iterator[Mutant]:
    """All mutants of a task."""
    whole = right(task)
    for name, passages in _environment_edits(whole.spec, task).items():
        text = replaced(whole.environment, passages)
        yield Mutant(task, name, "environment", whole.spec, text)
    for name, edit in _SPECS[task].items():
        pieces = whole.spec.model_dump(mode="json")
        edit(pieces)
        spec = Spec.model_validate(pieces)
        yield Mutant(task, name, "spec", spec, _environment(spec))


def all_mutants() -> list[Mutant]:
    """Those of all tasks."""
    return [mutant for task in TASKS for mutant in mutants(task)]


def _environment_edits(spec: Spec, task: str) -> dict[str, Passages]:
    if not spec.dynamics.gymnasium_id:
        common = {name: edit for name, edit in _edits("generated").items()
                  if name not in NO_FAULTS.get(task, ())}  # fmt: skip
        return {**common, **_edits(task)}
    numbers = {"{last}": len(spec.decisions[0].labels) - 1, "{more}": spec.model.horizon + 1}
    common = _edits("standard")
    for mark, number in numbers.items():
        common = {
            name: [(old, new.replace(mark, str(number))) for old, new in passages]
            for name, passages in common.items()
        }
    return {**common, **_edits(task)}


def _edits(name: str) -> dict[str, Passages]:
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    return {
        fault: [(old, new) for old, new in fields["replace"]]
        for fault, fields in tomllib.loads(text).items()
    }


def _environment(spec: Spec) -> str:
    program = compile_spec(spec)[0] if spec.dynamics.ruled else None
    return render_environment(program, []) if program is not None else ""


def _standard(spec: Spec) -> str:
    return standard.source(spec.dynamics.gymnasium_id)


_SPECS: dict[str, dict[str, SpecEdit]] = {
    "wireless": wireless.SPECS,
    "inventory-management": inventory.SPECS,
    "drone-delivery": drone.SPECS,
    "cart-pole": standard.CART_POLE_SPECS,
    "mountain-car": standard.MOUNTAIN_CAR_SPECS,
}

"""From where code is repaired: saved specifications, right code bodies, one planted fault."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.mutants.edits import replaced
from state.artefacts import BodySource
from state.run_state import RunState
from state.spec import Spec

PROBLEMS = Path(__file__).parent / "problems"
NO_CODE = "no code yet"


@dataclass(frozen=True)
class Start:
    """A specification, the right sources of its code bodies by name, and the code to begin with.

    ``bodies`` is empty where the coding agent is to write all of it. ``seen`` is false for a fault
    that no check sees.
    """

    name: str
    kind: str
    body: str
    spec: Spec
    right: dict[str, str]
    bodies: dict[str, str]
    seen: bool = True

    @property
    def planted(self) -> bool:
        """True if there is code with a fault, false if there is none yet."""
        return bool(self.bodies)

    def state(self, folder: Path) -> RunState:
        """Where a run stands when the coding agent has answered with ``bodies``."""
        spec = self.spec
        return RunState(
            description=spec.description,
            run_folder=str(folder),
            title=spec.title,
            parameters=spec.parameters,
            objective=spec.objective,
            variables=spec.variables,
            constraints=spec.constraints,
            model=spec.model,
            sar=spec.sar,
            dynamics=spec.dynamics,
            bodies=sources(self.bodies),
        )


def sources(bodies: dict[str, str]) -> list[BodySource]:
    """Code bodies as the coding agent answers with them."""
    return [BodySource(name=name, source=source) for name, source in bodies.items()]


def all_starts() -> dict[str, Start]:
    """All of them by name: planted faults, then specifications without code."""
    found = list(_planted()) + [
        Start(problem, NO_CODE, ", ".join(right), spec, right, {})
        for problem, spec, right, _ in _problems()
    ]
    return {start.name: start for start in found}


def _planted() -> Iterator[Start]:
    for _, spec, right, faults in _problems():
        for name, fault in faults.items():
            body = fault["body"]
            bodies = {**right, body: replaced(right[body], fault["replace"])}
            seen = fault.get("seen", True)
            yield Start(name, fault["kind"], body, spec, right, bodies, seen)


def _problems() -> Iterator[tuple[str, Spec, dict[str, str], dict[str, Any]]]:
    for folder in sorted(path for path in PROBLEMS.iterdir() if path.is_dir()):
        spec = Spec.model_validate_json((folder / "spec.json").read_text(encoding="utf-8"))
        told = tomllib.loads((folder / "bodies.toml").read_text(encoding="utf-8"))
        yield folder.name, spec, told["right"], told["fault"]

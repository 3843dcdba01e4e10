"""The specification as an ordered program: what reset and step do, line by line."""

from dataclasses import dataclass, field

from nodes.codegen.symbols import SymbolTable
from sandbox.programs.requests import ActionSpace
from state.dynamics import CodeBody
from state.spec import Spec
from state.variables import Variable


@dataclass(frozen=True)
class Statement:
    """One assignment of the generated code; ``targets`` are quantity names."""

    targets: tuple[str, ...]
    source: str
    comment: str = ""


@dataclass(frozen=True)
class Decision:
    """A decision variable and the slice of the action that holds it."""

    variable: Variable
    start: int
    length: int
    offset: int


@dataclass
class Program:
    """Everything the environment template needs."""

    spec: Spec
    symbols: SymbolTable
    action_space: ActionSpace
    decisions: list[Decision]
    observation: list[str]
    observation_low: tuple[float, ...]
    observation_high: tuple[float, ...]
    reset: list[Statement]
    step: list[Statement]
    next_known: list[Statement]
    reward_terms: list[tuple[str, str]]
    objective: str
    termination: str
    previous: list[str]
    quantities: list[str]
    bodies: list[CodeBody] = field(default_factory=list)
    ranges: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)

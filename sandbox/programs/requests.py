"""What the programs inside the sandbox are asked, as JSON files in the run folder.

Plain data classes of the standard library: the caller writes them, the program reads them, and
neither side needs more than ``json`` for it.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

CHECK_REQUEST = "check_request.json"
CHECK_RESULT = "check_result.json"
SCREEN_REQUEST = "screen_request.json"
SCREEN_RESULT = "screen_result.json"
HEURISTIC_REQUEST = "heuristic_request.json"
HEURISTIC_RESULT = "heuristic_result.json"
EVALUATE_REQUEST = "evaluate_request.json"
EVALUATE_RESULT = "evaluate_result.json"
EVALUATION_EPISODES = "evaluation_episodes.json"


@dataclass(frozen=True)
class _JsonFile:
    def to_json(self) -> str:
        """The request as the text of its file."""
        return json.dumps(asdict(self), indent=1, allow_nan=False)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a request; ``OSError``, ``ValueError`` or ``TypeError`` if it is not one."""
        return cls.from_json(json.loads(path.read_text()))

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Build the request from its parsed JSON."""
        return cls(**fields)


@dataclass(frozen=True)
class ActionSpace:
    """The action space that the spec declares.

    ``kind`` is "discrete" (``sizes`` holds one number), "multi_discrete" (one a component) or
    "box" (``low`` and ``high`` hold one number a component).
    """

    kind: str
    sizes: list[int] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        if self.kind == "discrete":
            return f"Discrete({self.sizes[0]})"
        if self.kind == "multi_discrete":
            return f"MultiDiscrete({self.sizes})"
        return f"Box({self.low}, {self.high}, float32)"


@dataclass(frozen=True)
class DeclaredRange:
    """Inclusive limits of a variable in its own unit; None where there is no limit.

    ``owner`` is the agent that wrote what gives the variable its value.
    """

    name: str
    low: float | None
    high: float | None
    owner: str = "environment"


@dataclass(frozen=True)
class DeclaredConstraint:
    """A constraint: its expression, the variables in it, and the code bodies that it rests on."""

    name: str
    expression: str
    variables: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class WrittenQuantity:
    """A quantity that a code body returns, its attribute, the body, and what the body reads."""

    name: str
    attribute: str
    body: str
    reads: list[str] = field(default_factory=list)
    shape: list[int] = field(default_factory=list)

    @property
    def form(self) -> str:
        """What it must be, in words."""
        return f"an array of shape {self.shape}" if self.shape else "one number"


@dataclass(frozen=True)
class Deciding:
    """A number of the action: its decision, and the code body through which alone it acts.

    ``body`` is empty where the decision acts otherwise too, or through several.
    """

    decision: str
    body: str = ""


@dataclass(frozen=True)
class PlacedQuantity:
    """A remembered quantity that may be put anywhere within its range, and its attribute."""

    name: str
    attribute: str
    low: float
    high: float
    shape: list[int] = field(default_factory=list)
    real: bool = False


@dataclass(frozen=True)
class Ranking:
    """How policies are ranked by the objective, and what is told of an episode.

    Attributes:
        sense: "maximize" or "minimize" the objective; empty where no measure of it is reported.
        telling: decisions, then the other quantities that objective and reward rest on.
        labels: names of the options of those that have names.
        idle: the action that does nothing, number by number; empty where there is none.
        idle_name: what it is called.
    """

    sense: str = ""
    telling: list[str] = field(default_factory=list)
    labels: dict[str, list[str]] = field(default_factory=dict)
    idle: list[float] = field(default_factory=list)
    idle_name: str = ""


@dataclass(frozen=True)
class CheckRequest(_JsonFile):
    """What ``sandbox.programs.check`` is asked.

    Attributes:
        gymnasium_id: id of a standard environment, or empty for ``environment.py``.
        horizon: steps of an episode at most.
        action_space: as declared; None if the spec leaves it to the standard environment.
        observation_size: numbers in an observation; None if not declared.
        ranges: limits of the named variables.
        code_bodies: names of methods that the coding agent wrote.
        written: what these return.
        constraints: what is known of the constraints, where a message can be plainer for it.
        deciding: what the numbers of the action are, in order.
        has_chance: the spec draws something at random.
        seen: what an observation holds, number by number, where the spec has no rules that say it.
        reward: least and largest reward, where the spec only declares it.
        rules: the spec says by rules how the environment moves on.
        ranking: how the objective ranks policies.
        double_check: there is a second_reading.py to compare with.
        twin: environment.py is said to be a standard environment, which is at hand as well.
        places: what may be put into the environment to see rare things happen.
        random_steps: steps under random actions.
        seed: seed of environment and actions.
        seconds: soft limit of the random steps.
    """

    gymnasium_id: str
    horizon: int
    action_space: ActionSpace | None = None
    observation_size: int | None = None
    ranges: list[DeclaredRange] = field(default_factory=list)
    code_bodies: list[str] = field(default_factory=list)
    written: list[WrittenQuantity] = field(default_factory=list)
    constraints: list[DeclaredConstraint] = field(default_factory=list)
    deciding: list[Deciding] = field(default_factory=list)
    has_chance: bool = False
    seen: list[DeclaredRange] = field(default_factory=list)
    reward: tuple[float | None, float | None] = (None, None)
    rules: bool = True
    ranking: Ranking = Ranking()
    double_check: bool = False
    twin: bool = False
    places: list[PlacedQuantity] = field(default_factory=list)
    random_steps: int = 2000
    seed: int = 0
    seconds: float = 60.0

    def written_as(self, name: str) -> WrittenQuantity | None:
        """What is known of the quantity ``name`` if a code body returns it."""
        return next((written for written in self.written if written.name == name), None)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Build the request from its parsed JSON."""
        space = fields.pop("action_space", None)
        written = fields.pop("written", [])
        constraints = fields.pop("constraints", [])
        deciding = fields.pop("deciding", [])
        ranges = fields.pop("ranges", [])
        places = fields.pop("places", [])
        seen = fields.pop("seen", [])
        reward = fields.pop("reward", (None, None))
        ranking = fields.pop("ranking", {})
        return cls(
            action_space=None if space is None else ActionSpace(**space),
            ranges=[DeclaredRange(**entry) for entry in ranges],
            seen=[DeclaredRange(**entry) for entry in seen],
            reward=(reward[0], reward[1]),
            places=[PlacedQuantity(**entry) for entry in places],
            ranking=Ranking(**ranking),
            written=[WrittenQuantity(**entry) for entry in written],
            constraints=[DeclaredConstraint(**entry) for entry in constraints],
            deciding=[Deciding(**entry) for entry in deciding],
            **fields,
        )


@dataclass(frozen=True)
class ScreenRequest(_JsonFile):
    """What ``sandbox.programs.screen`` is asked beside a ``CheckRequest``.

    Attributes:
        candidates: texts that may become environment.py.
        last: check after which none needs to be asked.
        faulty: what environment.py is without any of them.
        body: the function in it that the candidates change.
    """

    candidates: list[str]
    last: str
    faulty: str
    body: str


@dataclass(frozen=True)
class HeuristicRequest(_JsonFile):
    """What ``sandbox.programs.check_heuristic`` is asked.

    Attributes:
        gymnasium_id: id of a standard environment, or empty for ``environment.py``.
        observation_size: numbers in an observation as the heuristic reads it.
        rule: the rule in words.
        ranking: how the objective ranks it and the policies that it is compared with.
        seed: seed of the random decisions that it is compared with.
        episodes: episodes under the heuristic, and as many under random decisions.
        least_episodes: fewest episodes where the time runs out.
        steps: steps of an episode at most; what comes later is not looked at.
        seconds: soft limit of everything.
        milliseconds: processor time that a decision may take on average.
    """

    gymnasium_id: str
    observation_size: int
    rule: str = ""
    ranking: Ranking = Ranking()
    seed: int = 0
    episodes: int = 20
    least_episodes: int = 3
    steps: int = 2000
    seconds: float = 30.0
    milliseconds: float = 5.0

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Build the request from its parsed JSON."""
        ranking = fields.pop("ranking", {})
        return cls(ranking=Ranking(**ranking), **fields)


@dataclass(frozen=True)
class EvaluateRequest(_JsonFile):
    """What ``sandbox.programs.evaluate`` is asked.

    Attributes:
        gymnasium_id: id of a standard environment, or empty for ``environment.py``.
        seed: first of the evaluation seeds is derived from it.
        episodes: episodes for each policy.
        least_episodes: fewest episodes where the time runs out.
        seconds: time for everything, about half of it for the one-step-greedy policy.
        heuristic: there is a heuristic.py to compare with.
        consequences: decisions change what comes after their own step, so that plans may pay.
    """

    gymnasium_id: str
    seed: int = 0
    episodes: int = 100
    least_episodes: int = 20
    seconds: float = 150.0
    heuristic: bool = False
    consequences: bool = True

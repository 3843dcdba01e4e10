"""The run context: plain choices of the caller, which a server can fill with defaults."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, get_args

from nodes.settings import RunSettings
from sandbox.training.request import names_in
from state.approval import Gate, gates_in
from state.review import REVIEWED, Clarify, Reviewed
from state.training import ALGORITHM_NAMES, Algorithm

if TYPE_CHECKING:
    from nodes.models.factory import ChosenModel

CORRECTED = ",".join(REVIEWED)

LIMITS: dict[str, tuple[float, float]] = {
    "seed": (0, 2**32 - 1),
    "steps": (1, 1_000_000_000),
    "time_budget": (1, 7 * 24 * 3600),
    "threshold": (0, 1),
    "max_reexaminations": (0, 20),
    "max_debug": (0, 100),
    "max_tokens": (1, 1_000_000_000),
}


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """Choices of one run, given as ``context=`` each time its thread is run or resumed.

    Attributes:
        model: ``auto``, ``recorded``, ``local``, ``openai:NAME`` or ``ollama:NAME``.
        base_url: address of an OpenAI-compatible or Ollama server, or None for the usual one.
        task: name of the built-in task whose recording may be used, or None.
        seed: seed of the model where it takes one, of checks, training and evaluation.
        algorithm: ``auto``, or the one method that training is to use.
        steps: training steps of an attempt at most, or None to let the method decide.
        time_budget: seconds of training at most, or None to let the plan choose.
        without: remedies and methods that training is not to use, with commas between them.
        threshold: confidence under which a part of an answer is in doubt, from 0 to 1.
        max_reexaminations: how often an agent looks again at an answer that is in doubt.
        correct: agents whose answers are reviewed, with commas between them.
        no_error_correction: review nothing.
        clarify: what is done about what the description leaves open: ask, assume or fail.
        approve: what a person is to approve: none, or spec, code, policy with commas between them.
        max_debug: how often a failed check may send the work back.
        max_tokens: tokens that all model calls together may spend, or None for no cap.
        no_heuristic: ask for no rule of thumb before training.
        double_check: have a step worked out a second time, from the description alone.
        unsafe_no_sandbox: run generated code as a plain subprocess without isolation.
        out: folder in which a run folder is made where the state does not name one.
    """

    model: str = "auto"
    base_url: str | None = None
    task: str | None = None
    seed: int = 0
    algorithm: Algorithm = "auto"
    steps: int | None = None
    time_budget: float | None = None
    without: str = ""
    threshold: float = 0.8
    max_reexaminations: int = 2
    correct: str = CORRECTED
    no_error_correction: bool = False
    clarify: Clarify = "ask"
    approve: str = "none"
    max_debug: int = 5
    max_tokens: int | None = None
    no_heuristic: bool = False
    double_check: bool = False
    unsafe_no_sandbox: bool = False
    out: str = "runs"

    def __post_init__(self) -> None:
        """Refuse what no run can work with.

        Raises:
            ValueError: a value is out of its range, or the address is none.
        """
        for name, (low, high) in LIMITS.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                option = "--" + name.replace("_", "-")
                raise ValueError(f"{option} must be from {low:,} to {high:,}, not {value}")
        if self.algorithm not in ALGORITHM_NAMES:
            names = ", ".join(ALGORITHM_NAMES)
            raise ValueError(f"--algorithm must be one of {names}, not {self.algorithm!r}")
        try:
            names_in(self.without)
        except ValueError as error:
            raise ValueError(f"--without: {error}") from None
        if self.clarify not in get_args(Clarify):
            names = ", ".join(get_args(Clarify))
            raise ValueError(f"--clarify must be one of {names}, not {self.clarify!r}")
        self.corrected()
        try:
            gates_in(self.approve)
        except ValueError as error:
            raise ValueError(f"--approve: {error}") from None
        if self.base_url is not None and not self.base_url.startswith(("http://", "https://")):
            raise ValueError(f"--base-url must start with http:// or https://: {self.base_url!r}")

    @property
    def gates(self) -> frozenset[Gate]:
        """What a person is to approve."""
        return gates_in(self.approve)

    def chosen_model(self, description: str) -> "ChosenModel":
        """The chat model that serves a run of ``description``; chosen once in a process.

        Raises:
            ValueError: ``model`` is no name that a provider goes by.
            nodes.models.errors.ModelError: it cannot serve.
        """
        return _choose(self.model, self.base_url, self.task, self.seed, description)

    def corrected(self) -> frozenset[Reviewed]:
        """Agents whose answers are reviewed.

        Raises:
            ValueError: ``correct`` names something else.
        """
        names = [name.strip() for name in self.correct.split(",") if name.strip()]
        unknown = [name for name in names if name not in REVIEWED]
        if unknown:
            known = ", ".join(REVIEWED)
            raise ValueError(f"--correct: {unknown[0]!r} is no agent that is reviewed; {known} are")
        return frozenset(
            agent for agent in REVIEWED if agent in names and not self.no_error_correction
        )

    def settings(self, model: "ChosenModel | None") -> RunSettings:
        """What a node is given, with the model that it may ask, if it asks one."""
        return RunSettings(
            model=model,
            seed=self.seed,
            algorithm=self.algorithm,
            steps=self.steps,
            time_budget=self.time_budget,
            without=self.without,
            threshold=self.threshold,
            clarify=self.clarify,
            max_debug=self.max_debug,
            max_tokens=self.max_tokens,
            no_heuristic=self.no_heuristic,
            double_check=self.double_check,
            unsafe_no_sandbox=self.unsafe_no_sandbox,
            out=self.out,
        )


@lru_cache(maxsize=8)
def _choose(
    model: str, base_url: str | None, task: str | None, seed: int, description: str
) -> "ChosenModel":
    from nodes.models.factory import choose_model

    return choose_model(model, base_url=base_url, task=task, seed=seed, description=description)

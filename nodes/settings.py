"""What the caller of a run chose, the same for all nodes of that run."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from state.review import Clarify
from state.training import Algorithm

if TYPE_CHECKING:
    from nodes.models.factory import ChosenModel


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Choices of a run that are not facts about the problem, so not part of the state.

    Attributes:
        model: the chat model that the agents ask; None where no agent runs (tests, evaluation).
        seed: seed of checks, training and evaluation.
        algorithm: "auto", or the one method that training is to use.
        steps: training steps of an attempt at most, or None to let the method decide.
        time_budget: seconds of training at most, or None to let the plan choose.
        without: remedies and methods that training is not to use, with commas between them.
        threshold: confidence under which a part of an answer is in doubt, from 0 to 1.
        clarify: what is done about what the description leaves open.
        max_debug: how often a failed check may send the work back.
        max_tokens: tokens that all model calls together may spend, or None for no cap.
        no_heuristic: ask for no rule of thumb before training.
        double_check: have a step worked out a second time, from the description alone.
        unsafe_no_sandbox: run generated code as a plain subprocess without isolation.
        out: folder in which a run folder is made where the state does not name one.
    """

    model: "ChosenModel | None" = None
    seed: int = 0
    algorithm: Algorithm = "auto"
    steps: int | None = None
    time_budget: float | None = None
    without: str = ""
    threshold: float = 0.8
    clarify: Clarify = "ask"
    max_debug: int = 5
    max_tokens: int | None = None
    no_heuristic: bool = False
    double_check: bool = False
    unsafe_no_sandbox: bool = False
    out: str = "runs"

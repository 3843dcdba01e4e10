"""The one state that all nodes read and write."""

from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from state.approval import Approval
from state.artefacts import BodySource, CodeArtefacts
from state.constraints import Constraint
from state.dynamics import Dynamics
from state.findings import BEFORE_MODEL, PERSON, CheckReport, Finding
from state.heuristic import Heuristic
from state.model import MarkovModel
from state.objective import Objective
from state.parameters import Parameter
from state.question import Answered, told
from state.review import Assumption, Doubt, Review, Reviewed
from state.revision import Revision
from state.sar import StateActionReward
from state.spec import Spec
from state.training import Evaluation, TrainingPlan, TrainingRecord
from state.usage import ModelCall
from state.variables import Variable

StageStatus = Literal["done", "repaired", "failed", "skipped"]
RunStatus = Literal["running", "turned_away", "trained", "no_better_policy", "unverified"]


class Stage(BaseModel):
    """How one node of the graph ended, for the accounts."""

    model_config = ConfigDict(extra="forbid")

    name: str
    status: StageStatus
    seconds: float = Field(ge=0)
    note: str = ""


class RunState(BaseModel):
    """Shared typed state of a run.

    ``approvals``, ``answers``, ``calls``, ``stages`` and ``notes`` only grow; nodes return the
    whole new list. Large things live in the run folder and are named here by path and hash.
    """

    model_config = ConfigDict(extra="forbid")

    description: str
    amendments: list[str] = Field(
        default_factory=list, description="remarks of earlier revisions and of this one"
    )
    revision: Revision | None = Field(
        default=None, description="what this run revises; None for a run of its own"
    )
    title: str = "task"
    run_folder: str = Field(default="", description="where artefacts go; chosen by the intake")

    parameters: list[Parameter] = Field(default_factory=list)
    objective: Objective | None = None
    variables: list[Variable] = Field(default_factory=list)
    constraints: list[Constraint] = Field(default_factory=list)
    model: MarkovModel | None = None
    sar: StateActionReward | None = None
    dynamics: Dynamics | None = None

    reviews: dict[Reviewed, Review] = Field(
        default_factory=dict, description="the latest review of each agent's answer"
    )
    clarified: Reviewed | None = Field(
        default=None, description="agent whose doubts were last put to a person or assumed away"
    )
    assumptions: list[Assumption] = Field(
        default_factory=list, description="what holds where a person was not asked"
    )

    bodies: list[BodySource] = Field(
        default_factory=list, description="code bodies as last written by the coding agent"
    )
    code: CodeArtefacts | None = None
    checks: CheckReport | None = None
    debug_rounds: int = Field(default=0, description="times a failed check sent the work back")
    remarks: list[Finding] = Field(
        default_factory=list, description="open findings for the agent that runs next"
    )

    heuristic: Heuristic | None = Field(
        default=None, description="a rule of thumb that is better than random decisions"
    )

    plan: TrainingPlan | None = None
    training_rounds: int = Field(
        default=0, description="times what training came to sent the work back"
    )
    training: TrainingRecord | None = None
    evaluation: Evaluation | None = None

    approvals: list[Approval] = Field(
        default_factory=list, description="what people decided at the gates, in order"
    )
    answers: list[Answered] = Field(
        default_factory=list, description="what people answered, in the order of their questions"
    )

    calls: list[ModelCall] = Field(default_factory=list)
    stages: list[Stage] = Field(default_factory=list)
    notes: list[str] = Field(
        default_factory=list, description="assumptions and repairs a reader should know of"
    )
    isolation: str = ""
    status: RunStatus = "running"
    account: str = Field(default="", description="in plain words, how the run ended")

    def spec(self) -> Spec:
        """Join the pieces into one specification.

        Raises:
            ValueError: a piece is not there yet.
        """
        if not (self.objective and self.model and self.sar and self.dynamics):
            raise ValueError("the specification is not complete yet")
        return Spec(
            title=self.title,
            description=self.description,
            parameters=self.parameters,
            objective=self.objective,
            variables=self.variables,
            constraints=self.constraints,
            model=self.model,
            sar=self.sar,
            dynamics=self.dynamics,
            answers=self.clarifications,
            assumptions=self.assumptions,
        )

    @property
    def clarifications(self) -> list[Answered]:
        """What a person said about what the description leaves open."""
        return [answer for answer in self.answers if answer.kind == "clarify"]

    @property
    def told(self) -> str:
        """The description, and behind it what a person said when asked about it."""
        return told(self.description, self.clarifications)

    def doubts_of(self, agent: str) -> list[Doubt]:
        """What ``agent`` is to look at again, once its answer has been reviewed.

        Nothing where findings are open: they come first.
        """
        review = self.reviews.get(cast(Reviewed, agent))
        return review.doubts if review is not None and not self.remarks else []

    @property
    def correcting(self) -> bool:
        """True while a finding is open that its agent mends alone, straight before the code.

        Not so where a person sent a piece back on which the model is built: all is made anew.
        """
        blocking = [finding for finding in self.remarks if finding.blocking]
        anew = any(f.check == PERSON and f.owner in BEFORE_MODEL for f in blocking)
        return bool(blocking) and not anew

    def asked(self, agent: str) -> int:
        """How many replies ``agent`` has had in this run."""
        return sum(call.agent == agent for call in self.calls)

"""Evaluate: compares the trained policy with simple ones on common fresh seeds."""

from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from nodes.accounts import StageClock
from nodes.coding import POSSIBLE
from nodes.sandbox_program import Host, Question, ask_program, environment_host
from nodes.settings import RunSettings
from nodes.standing import standing
from nodes.training_plan import problem_of
from sandbox import Limits
from sandbox.outcome import GIBIBYTE
from sandbox.programs.requests import (
    EVALUATE_REQUEST,
    EVALUATE_RESULT,
    EVALUATION_EPISODES,
    EvaluateRequest,
)
from state.run_state import RunState
from state.training import Evaluation

LIMITS = Limits(wall_seconds=420, cpu_seconds=600, memory_bytes=4 * GIBIBYTE)


def evaluate(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Evaluate the policy in the run folder and say how the run ended.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    clock = StageClock("evaluate")
    if state.training is None:
        stages = clock.add_to(state, "skipped", "there is no trained policy")
        return {"status": "no_better_policy", "stages": stages}
    settings, folder = runtime.context, Path(state.run_folder)
    spec = state.spec()
    request = EvaluateRequest(
        spec.dynamics.gymnasium_id,
        seed=settings.seed,
        heuristic=state.heuristic is not None,
        consequences=problem_of(spec).shapes_future,
    )
    result = ask_evaluation(request, folder, LIMITS, settings)
    if isinstance(result, str):
        account = f"The policy could not be evaluated: {result}."
        stages = clock.add_to(state, "failed", account)
        failed = {"evaluation": None, "status": "no_better_policy"}
        return failed | {"account": account, "stages": stages}
    notes = [*result.notes, *standing(result, state.training)]
    return {
        "evaluation": result.model_copy(update={"notes": notes}),
        "status": "trained" if result.better_than_random else "no_better_policy",
        "account": _account(result),
        "stages": clock.add_to(state, "done"),
    }


def ask_evaluation(
    request: EvaluateRequest, folder: Path, limits: Limits, settings: RunSettings
) -> Evaluation | str:
    """What the evaluation of the policy in ``folder`` answers, or a phrase why it does not.

    It leaves the episodes of the trained policy in ``folder``.
    """
    hosts = {
        "environment": environment_host(request.gymnasium_id, "flat"),
        "policy": Host(("policy.zip", "policy_setup.json", POSSIBLE)),
    }
    if request.heuristic:
        hosts["heuristic"] = Host(("heuristic.py",))
    asked = (EVALUATE_REQUEST, request)
    question = Question("evaluate", asked, hosts, products=(EVALUATION_EPISODES,))
    return ask_program(question, folder, (EVALUATE_RESULT, Evaluation), limits, settings)[0]


def _account(evaluation: Evaluation) -> str:
    trained, random = evaluation.trained, evaluation.baseline("random")
    returns = f"mean return {trained.mean:.6g} ({trained.low:.6g} to {trained.high:.6g})"
    against = f"{random.mean:.6g} of random decisions" if random else "no comparison"
    if evaluation.better_than_random:
        return f"The trained policy is better than chance: {returns} against {against}."
    return f"The trained policy is not better than chance: {returns} against {against}."

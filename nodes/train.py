"""Train: hands the problem to the training search inside the sandbox and keeps what it found."""

import hashlib
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from nodes.accounts import StageClock
from nodes.coding import BATCHED, POSSIBLE
from nodes.run_folder import artefact, remove, write_whole
from nodes.sandbox_account import why_it_ended
from nodes.settings import RunSettings
from nodes.train_program import PROGRAM, write_train_program
from nodes.training_folder import WORK, forget_training, open_training_folder, take_up
from nodes.training_plan import DEFAULT_TIME_BUDGET, problem_of
from sandbox import Limits, ResultInvalid, read_result, run_module
from sandbox.outcome import GIBIBYTE
from sandbox.training.fitted_discount import fitted_discount
from sandbox.training.request import REQUEST, RESULT, Circumstances, Request, Wishes, names_in
from state.artefacts import CodeArtefacts
from state.run_state import RunState
from state.spec import Spec
from state.training import TrainingPlan, TrainingRecord

HEURISTIC = "heuristic.py"
INPUTS = (REQUEST, "environment.py", BATCHED, POSSIBLE, HEURISTIC)
PRODUCTS = (RESULT, "policy.zip", "policy_setup.json", "curve.csv")
LONGEST_LINE = 200
FINGERPRINT = "training_inputs.sha256"
BEGUN = "training_begun.txt"
"""Hashes of the inputs of the attempts that are there: of the same, none is made twice."""
# Seeds of training stay below those of its evaluations.
SEEDS = 100_000_000
# Beside the training itself: importing torch, measuring, the last evaluation.
SECONDS_AROUND = 120.0


def train(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Plan and train; a training that had already finished on the same code is not repeated.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    clock = StageClock("train")
    folder, spec = Path(state.run_folder), state.spec()
    again = trainings_sent_back(state)
    plan = plan_training(spec, runtime.context, again)
    write_whole(folder / REQUEST, request_for(state, plan, runtime.context.without).to_json())
    update: dict[str, Any] = {"plan": plan}
    note = f"again, with {again + 1} times the time" if again else ""
    if _finished(folder):
        note = "already finished"
    else:
        failure = _run_training(folder, plan, runtime)
        if failure:
            account = f"Training did not come to its end: {failure}."
            stages = clock.add_to(state, "failed", account)
            gone = {"training": None, "evaluation": None, "status": "running"}
            return update | gone | {"account": account, "stages": stages}
    record = read_result(folder, RESULT, TrainingRecord).model_copy(
        update={"curve": artefact(folder, "curve.csv"), "policy": artefact(folder, "policy.zip")}
    )
    write_train_program(folder, spec.title, problem_of(spec), record)
    code = (state.code or CodeArtefacts()).model_copy(update={"train": artefact(folder, PROGRAM)})
    stages = clock.add_to(state, "done", note)
    return update | {"training": record, "code": code, "stages": stages}


def trainings_sent_back(state: RunState) -> int:
    """How often a person sent the policy of this specification back to training."""
    count = 0
    for approval in state.approvals:
        if approval.decision == "sent_back":
            count = count + 1 if approval.agent == "training" else 0
    return count


def plan_training(spec: Spec, settings: RunSettings, again: int = 0) -> TrainingPlan:
    """What the caller asked for, and the discount that fits the horizon.

    A training that a person sent back for the ``again``-th time gets so many times more time and
    steps, and another seed.
    """
    return TrainingPlan(
        algorithm=settings.algorithm,
        discount=fitted_discount(problem_of(spec))[0],
        time_budget=(settings.time_budget or DEFAULT_TIME_BUDGET) * (again + 1),
        steps=settings.steps and settings.steps * (again + 1),
        seed=(settings.seed + again) % SEEDS,
    )


def request_for(state: RunState, plan: TrainingPlan, without: str = "") -> Request:
    """The plan, the problem and what is at hand, as the training search reads it."""
    folder = Path(state.run_folder)
    return Request(
        problem_of(state.spec()),
        Wishes(plan.algorithm, plan.steps, plan.seed, names_in(without)),
        Circumstances(
            batched=(folder / BATCHED).is_file(),
            heuristic=state.heuristic is not None and (folder / HEURISTIC).is_file(),
            possible=(folder / POSSIBLE).is_file(),
        ),
        plan.time_budget,
    )


def _run_training(folder: Path, plan: TrainingPlan, runtime: Runtime[RunSettings]) -> str:
    """Empty if all went well, else a phrase that says why not."""
    remove(folder, [*PRODUCTS, FINGERPRINT])
    if _hash_of(folder, BEGUN) != _hash_of_text(_inputs(folder)):
        forget_training(folder)
        write_whole(folder / BEGUN, _inputs(folder))
    seconds = plan.time_budget + SECONDS_AROUND
    limits = Limits(wall_seconds=seconds, cpu_seconds=3 * seconds, memory_bytes=6 * GIBIBYTE)
    try:
        outcome = run_module(
            "sandbox.training.search",
            open_training_folder(folder, INPUTS),
            limits,
            unsafe_no_sandbox=runtime.context.unsafe_no_sandbox,
            on_output=lambda line: runtime.stream_writer({"stage": "train", "line": _shown(line)}),
        )
        if not outcome.ok:
            return why_it_ended(outcome, limits)
        read_result(folder / WORK, RESULT, TrainingRecord)
        take_up(folder, PRODUCTS)
    except ResultInvalid as error:
        return str(error)
    write_whole(folder / FINGERPRINT, _fingerprint(folder))
    return ""


def _shown(line: str) -> str:
    """A line of output without what could move the cursor of a terminal."""
    return "".join(c for c in line if c.isprintable())[:LONGEST_LINE]


def _finished(folder: Path) -> bool:
    return _hash_of(folder, FINGERPRINT) == _hash_of_text(_fingerprint(folder))


def _fingerprint(folder: Path) -> str:
    """All that the training depends on and all that it made, by hash."""
    hashes = (_hash_of(folder, name) for name in (*INPUTS, *PRODUCTS))
    return _hash_of_text(" ".join(hashes))


def _inputs(folder: Path) -> str:
    return "".join(f"{_hash_of(folder, name)}  {name}\n" for name in INPUTS)


def _hash_of(folder: Path, name: str) -> str:
    """Hash of a plain file, empty where there is none."""
    try:
        return artefact(folder, name).sha256
    except ResultInvalid:
        return ""


def _hash_of_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

"""Train: writes train.py from the plan and runs it inside the sandbox."""

import hashlib
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from nodes.accounts import StageClock
from nodes.declared_spaces import declared_action_space
from nodes.run_folder import artefact, remove, write_whole
from nodes.sandbox_account import why_it_ended
from nodes.settings import RunSettings
from nodes.train_program import render_train_program
from nodes.training_plan import is_flattened, plan_training
from sandbox import Limits, ResultInvalid, check_files, read_result, run
from sandbox.outcome import GIBIBYTE
from state.artefacts import CodeArtefacts
from state.run_state import RunState
from state.training import TrainingPlan, TrainingRecord

PROGRAM = "train.py"
INPUTS = ("train.py", "environment.py")
FINISHED = "training_result.json"
PRODUCTS = (FINISHED, "policy.zip", "policy_setup.json", "curve.csv")
LONGEST_LINE = 200
FINGERPRINT = "training_inputs.sha256"
# Beside the training itself: importing torch, measuring, the last evaluation.
SECONDS_AROUND = 120.0


def train(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Plan and train; a training that had already finished on the same code is not repeated.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    clock = StageClock("train")
    settings, folder, spec = runtime.context, Path(state.run_folder), state.spec()
    space = declared_action_space(spec)
    plan = plan_training(
        spec, space, steps=settings.steps, time_budget=settings.time_budget, seed=settings.seed
    )
    write_whole(folder / PROGRAM, render_train_program(spec, plan, flattened=is_flattened(space)))
    code = (state.code or CodeArtefacts()).model_copy(update={"train": artefact(folder, PROGRAM)})
    update: dict[str, Any] = {"plan": plan, "code": code}
    note = "already finished" if _finished(folder) else ""
    if not note:
        failure = _run_training(folder, plan, runtime)
        if failure:
            account = f"Training did not come to its end: {failure}."
            stages = clock.add_to(state, "failed", account)
            return update | {"training": None, "account": account, "stages": stages}
    record = read_result(folder, FINISHED, TrainingRecord).model_copy(
        update={"curve": artefact(folder, "curve.csv"), "policy": artefact(folder, "policy.zip")}
    )
    return update | {"training": record, "stages": clock.add_to(state, "done", note)}


def _run_training(folder: Path, plan: TrainingPlan, runtime: Runtime[RunSettings]) -> str:
    """Empty if all went well, else a phrase that says why not."""
    remove(folder, [*PRODUCTS, FINGERPRINT])
    seconds = plan.time_budget + SECONDS_AROUND
    limits = Limits(wall_seconds=seconds, cpu_seconds=1.5 * seconds, memory_bytes=5 * GIBIBYTE)
    outcome = run(
        PROGRAM,
        folder,
        limits,
        unsafe_no_sandbox=runtime.context.unsafe_no_sandbox,
        on_output=lambda line: runtime.stream_writer({"stage": "train", "line": _shown(line)}),
    )
    if not outcome.ok:
        return why_it_ended(outcome, limits)
    try:
        check_files(folder)
        read_result(folder, FINISHED, TrainingRecord)
        for name in PRODUCTS:
            artefact(folder, name)
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


def _hash_of(folder: Path, name: str) -> str:
    """Hash of a plain file, empty where there is none."""
    try:
        return artefact(folder, name).sha256
    except ResultInvalid:
        return ""


def _hash_of_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

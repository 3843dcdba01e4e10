"""Heuristic agent: a rule of thumb that decides before any training.

It serves training as a demonstration and the evaluation as a comparison. A run never fails for
want of one: what does not come to a rule that is better than random decisions is left out with a
note. A rule that shows reward and objective to disagree is a finding against the specification.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from nodes.accounts import StageClock
from nodes.agent import ask, noted
from nodes.codegen.heuristic_program import Interface, interface_of, render_heuristic
from nodes.heuristic_rules import heuristic_complaints
from nodes.models.errors import ModelError, RecordingMissing
from nodes.ranking import ranking_of
from nodes.run_folder import artefact, remove, write_whole
from nodes.sandbox_program import Host, Question, ask_program, environment_host
from nodes.settings import RunSettings
from sandbox import Limits
from sandbox.outcome import GIBIBYTE
from sandbox.programs.requests import HEURISTIC_REQUEST, HEURISTIC_RESULT, HeuristicRequest
from state.artefacts import CodeArtefacts
from state.findings import CheckReport, Finding
from state.heuristic import Heuristic, HeuristicTrial
from state.run_state import RunState, StageStatus
from state.spec import Spec
from state.usage import ModelCall

PROGRAM = "heuristic.py"
LIMITS = Limits(wall_seconds=150, cpu_seconds=120, memory_bytes=3 * GIBIBYTE)
MOST_OUTPUT_TOKENS = 3000


@dataclass(frozen=True)
class Found:
    """What asking for a rule came to, and all calls of the run so far.

    ``why`` says how good the rule is, or why there is none. ``findings`` are those against the
    specification; then no rule is kept.
    """

    rule: Heuristic | None
    why: str
    calls: list[ModelCall]
    findings: list[Finding] = field(default_factory=list)


def heuristic(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Ask for a rule, try it in the sandbox, and keep it where it is better than random.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    clock = StageClock("heuristic")
    folder = Path(state.run_folder)
    remove(folder, [PROGRAM])
    if runtime.context.no_heuristic:
        return {"heuristic": None, "stages": clock.add_to(state, "skipped", "not wanted")}
    found = find_heuristic(state, runtime)
    why = found.why
    update: dict[str, Any] = {"heuristic": found.rule, "calls": found.calls}
    if found.rule is None:
        remove(folder, [PROGRAM])
    if found.findings:
        checks = with_findings(state.checks or CheckReport(), found.findings)
        held = {"checks": checks, "remarks": checks.findings}
        return {**update, **held, "stages": clock.add_to(state, "failed", why)}
    if found.rule is None:
        notes = noted(state, "heuristic", f"left out, {why}")
        return {**update, "notes": notes, "stages": clock.add_to(state, "skipped", why)}
    code = (state.code or CodeArtefacts()).model_copy(
        update={"heuristic": artefact(folder, PROGRAM)}
    )
    status: StageStatus = "repaired" if len(found.calls) > len(state.calls) + 1 else "done"
    return {**update, "code": code, "stages": clock.add_to(state, status, why)}


def find_heuristic(state: RunState, runtime: Runtime[RunSettings]) -> Found:
    """Ask for a rule that is better than random decisions, until one tells against the spec.

    ``heuristic.py`` in the run folder is what was tried last.
    """
    spec, folder = state.spec(), Path(state.run_folder)
    last = unfit = ""
    findings: list[Finding] = []

    def check(answer: Heuristic) -> list[str]:
        nonlocal last, unfit, findings
        faults = heuristic_complaints(answer.source)
        if not faults:
            write_whole(folder / PROGRAM, render_heuristic(spec, interface, answer))
            trial = try_heuristic(spec, interface, answer, folder, runtime.context)
            unfit, findings = trial.unfit, trial.findings
            if unfit or findings:
                return []  # no other rule would be any better off
            faults = complaints_of(trial)
            last = compared(trial)
        last = faults[0] if faults else last
        return faults

    try:
        interface = interface_of(spec)
        # What earlier checks remarked is about other pieces.
        answer = ask(
            "heuristic", Heuristic, state.model_copy(update={"remarks": []}), runtime,
            check=check, seen=interface.seen, decided=interface.decided,
            max_output_tokens=MOST_OUTPUT_TOKENS,
        )  # fmt: skip
    except RecordingMissing as error:
        return Found(None, last or "no recorded heuristic", [*state.calls, *error.calls])
    except ModelError as error:
        return Found(None, last or str(error), [*state.calls, *error.calls])
    except ValueError as error:
        return Found(None, str(error), state.calls)
    if unfit or findings:
        return Found(None, unfit or findings[0].message, answer.calls, findings)
    if answer.complaints:
        return Found(None, answer.complaints[0], answer.calls)
    return Found(answer.value, last, answer.calls)


def with_findings(report: CheckReport, findings: list[Finding]) -> CheckReport:
    """The report with what was found after its checks."""
    wrong = {finding.check for finding in findings}
    passed = [check for check in report.passed if check not in wrong]
    return report.model_copy(update={"passed": passed, "findings": [*report.findings, *findings]})


def try_heuristic(
    spec: Spec, interface: Interface, answer: Heuristic, folder: Path, settings: RunSettings
) -> HeuristicTrial:
    """Some episodes under ``heuristic.py`` in ``folder``, beside random decisions."""
    request = HeuristicRequest(
        spec.dynamics.gymnasium_id, interface.observation_size, rule=answer.rule,
        ranking=ranking_of(spec), seed=settings.seed,
    )  # fmt: skip
    hosts = {
        "environment": environment_host(request.gymnasium_id, "flat"),
        "heuristic": Host((PROGRAM,)),
    }
    question = Question("check_heuristic", (HEURISTIC_REQUEST, request), hosts)
    answered = (HEURISTIC_RESULT, HeuristicTrial)
    trial, _ = ask_program(question, folder, answered, LIMITS, settings)
    if isinstance(trial, HeuristicTrial):
        return trial
    return HeuristicTrial(faults=[f"trying it did not come to an end: {trial}"])


def complaints_of(trial: HeuristicTrial) -> list[str]:
    """What the model is told about a trial; empty where the heuristic is worth keeping."""
    if trial.faults:
        return trial.faults
    if trial.mean_return is None or trial.random_return is None:
        return ["it could not be compared with random decisions"]
    if trial.mean_return <= trial.random_return:
        return [f"it is not better than random decisions: {compared(trial)}; find a better rule"]
    return []


def compared(trial: HeuristicTrial) -> str:
    """The returns of a trial in words."""
    if trial.mean_return is None or trial.random_return is None:
        return ""
    return (
        f"mean return {trial.mean_return:.6g} over {trial.episodes} episodes, random decisions "
        f"{trial.random_return:.6g}"
    )

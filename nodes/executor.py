"""Executor: the ladder of checks over the environment, inside the sandbox."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from nodes.accounts import StageClock
from nodes.check_request import check_request
from nodes.heuristic import PROGRAM as HEURISTIC
from nodes.sandbox_program import Host, Question, ask_program, environment_host
from nodes.second_reading import PROGRAM as SECOND_READING
from nodes.settings import RunSettings
from nodes.spec_files import write_spec_files
from sandbox import Limits
from sandbox.outcome import GIBIBYTE
from sandbox.programs.requests import CHECK_REQUEST, CHECK_RESULT
from state.findings import CheckReport, Finding
from state.run_state import RunState
from state.spec import Spec

LIMITS = Limits(wall_seconds=90, cpu_seconds=120, memory_bytes=3 * GIBIBYTE)


def executor(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Check the environment; open findings become remarks for the agents that own them.

    Raises:
        SandboxUnavailable: this machine cannot contain generated code.
    """
    clock = StageClock("executor")
    folder = Path(state.run_folder)
    report, isolation = run_checks(state.spec(), folder, runtime.context)
    # Only now, for what ran in the folder may have left anything under these names.
    write_spec_files(state, folder)
    note = "" if report.clean else "; ".join(finding.message for finding in report.blocking)
    return {
        "checks": report,
        "remarks": report.findings,
        "isolation": isolation or state.isolation,
        "stages": clock.add_to(state, "done" if report.clean else "failed", note),
    }


def run_checks(
    spec: Spec,
    folder: Path,
    settings: RunSettings,
    *,
    twin: bool = False,
    heuristic: bool = False,
) -> tuple[CheckReport, str]:
    """The report on the environment in ``folder``, and the isolation that held it.

    With ``twin`` it is an environment.py that is said to be a standard environment; with
    ``heuristic`` the heuristic.py beside it is one of the policies that are ranked.
    """
    try:
        request = check_request(spec, settings.seed, twin=twin)
    except ValueError as error:
        return _only(Finding(check="request", owner="variable", message=f"{error}.")), ""
    hosts = {
        "environment": environment_host(request.gymnasium_id),
        "functions": Host(("spec_functions.py",)),
    }
    if (folder / SECOND_READING).is_file():
        request = replace(request, double_check=True)
        hosts["second_reading"] = Host((SECOND_READING,))
    if heuristic:
        hosts["heuristic"] = Host((HEURISTIC,))
    if twin:
        hosts["standard"] = environment_host(spec.dynamics.gymnasium_id, program="environment")
    question = Question("check", (CHECK_REQUEST, request), hosts, files=("environment.py",))
    answered = (CHECK_RESULT, CheckReport)
    report, outcome = ask_program(question, folder, answered, LIMITS, settings)
    if isinstance(report, CheckReport):
        return report, outcome.isolation
    finding = Finding(
        check="runs_within_its_limits",
        owner="coding" if spec.dynamics.bodies else "environment",
        place="environment.py",
        expected="2,000 steps within seconds and little memory",
        found=report,
        message=f"the checks of the environment did not come to their end: {report}",
    )
    return _only(finding), outcome.isolation


def _only(finding: Finding) -> CheckReport:
    return CheckReport(findings=[finding])

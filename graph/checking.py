"""``--check DIR``: the ladder of checks on an environment that a person wrote or changed."""

import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from graph.arguments import UsageError
from nodes.settings import RunSettings
from nodes.verify import verify
from sandbox import ResultInvalid, SandboxUnavailable
from sandbox.results import read_bytes
from state.findings import Finding
from state.spec import Spec

SPEC, ENVIRONMENT = "spec.json", "environment.py"


class CheckOutcome(BaseModel):
    """The object that ``--json`` prints; ``status`` is 'clean' or 'findings'."""

    model_config = ConfigDict(extra="forbid")

    status: str
    exit_code: int
    folder: str
    passed: list[str]
    findings: list[Finding]
    seconds: float
    isolation: str


def check_folder(folder: Path, settings: RunSettings) -> CheckOutcome:
    """What the ladder says about spec.json and environment.py in ``folder``.

    Raises:
        UsageError: the folder does not hold what can be checked.
    """
    spec = _read_spec(folder)
    try:
        report, isolation = verify(spec, folder, settings)
    except (ResultInvalid, SandboxUnavailable) as error:
        raise UsageError(f"{folder} cannot be checked: {error}") from error
    return CheckOutcome(
        status="clean" if report.clean else "findings",
        exit_code=0 if report.clean else 1,
        folder=str(folder),
        passed=report.passed,
        findings=report.findings,
        seconds=report.seconds,
        isolation=isolation,
    )


def _read_spec(folder: Path) -> Spec:
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; name the one that holds {SPEC}")
    for name in (SPEC, ENVIRONMENT):
        if not os.path.lexists(folder / name):
            raise UsageError(f"{folder} holds no {name}; name a folder that has one")
    try:
        return Spec.model_validate_json(read_bytes(folder, SPEC))
    except ResultInvalid as error:
        raise UsageError(f"{folder} cannot be checked: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise UsageError(
            f"{folder / SPEC} is no specification: {place + ': ' if place else ''}{first['msg']}"
            f"{more}; see the spec.json of any run"
        ) from error


def check_lines(outcome: CheckOutcome) -> Iterator[str]:
    """The outcome for a person: each finding with its place, then the sum."""
    for finding in outcome.findings:
        kind = "finding" if finding.blocking else "remark"
        yield f"{kind}: {finding.place or 'the whole'}: {finding.message}"
        yield f"  check     {finding.check} (for the {finding.owner} agent)"
        for name in ("expected", "found"):
            text = getattr(finding, name)
            if text:
                yield f"  {name:<9} {text}"
        for number, line in enumerate(finding.episode):
            yield f"  {'' if number else 'episode':<9} {line}"
    blocking = sum(finding.blocking for finding in outcome.findings)
    remarks = len(outcome.findings) - blocking
    told = f"{blocking} finding{'s' * (blocking != 1)}"
    told += f" and {remarks} remark{'s' * (remarks != 1)}" if remarks else ""
    yield f"{told}; {len(outcome.passed)} checks found nothing ({outcome.seconds:.1f} s)"

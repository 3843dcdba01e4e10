"""Program: climb the ladder of checks and write what they found to check_result.json.

Runs in a sandbox of its own, in a folder with check_request.json and the text of environment.py.
The code itself runs in the hosts ``environment`` and ``functions``.
"""

import json
import time
from pathlib import Path
from typing import Any

from sandbox.programs import requests
from sandbox.programs.asking import Ask, hosts_of_arguments
from sandbox.programs.findings import CheckFailed, Finding, from_exception
from sandbox.programs.ladder import checks_for
from sandbox.programs.source_checks import check_source
from sandbox.programs.standard_checkers import standard_checkers
from sandbox.programs.subject import Check, Subject
from sandbox.programs.wire import OtherSideEnded


def main() -> None:
    """Read the request, check, write the result."""
    request = requests.CheckRequest.read(Path(requests.CHECK_REQUEST))
    started = time.monotonic()
    hosts = hosts_of_arguments()
    own = hosts["environment"], hosts["functions"]
    passed, findings = check(request, *own, hosts.get("standard"))
    result: dict[str, Any] = {
        "passed": passed,
        "findings": [finding.as_json() for finding in findings],
        "seconds": round(time.monotonic() - started, 3),
    }
    Path(requests.CHECK_RESULT).write_text(json.dumps(result, indent=1))


def check(
    request: requests.CheckRequest,
    ask_environment: Ask,
    ask_functions: Ask,
    ask_standard: Ask | None = None,
) -> tuple[list[str], list[Finding]]:
    """Names of the checks that found nothing, and the findings of the others.

    Raises:
        OtherSideEnded: a process in which the code runs ended before its time.
    """
    passed: list[str] = []
    if not request.gymnasium_id:
        findings = check_source(request)
        if findings:
            return passed, findings
        passed += ["parses", "only_gymnasium_and_numpy"]
    subject = Subject(request, ask_environment, ask_functions, ask_standard)
    failure = _run(constructs, subject)
    if failure:
        return passed, [failure]
    passed.append("constructs")
    findings = []
    for ladder_check in checks_for(request):
        if ladder_check is standard_checkers and findings:
            # They would say the same again, less precisely.
            continue
        failure = _run(ladder_check, subject)
        if failure is None:
            passed.append(ladder_check.__name__)
        elif (failure.place, failure.found) not in {(f.place, f.found) for f in findings}:
            # One broken line fails many checks; it is said once.
            findings.append(failure)
    return passed, findings


def constructs(subject: Subject) -> None:
    """The environment can be imported and made without arguments."""
    environment = subject.environment
    if not environment.action_space or not environment.observation_space:
        raise CheckFailed("environment", "the environment has no action or observation space")


def _run(ladder_check: Check, subject: Subject) -> Finding | None:
    name = ladder_check.__name__
    try:
        ladder_check(subject)
    except CheckFailed as failed:
        if failed.__cause__ is not None:
            boiled = from_exception(name, failed.__cause__, subject.request.code_bodies)
            if boiled.place:
                return boiled
        return failed.finding(name)
    except OtherSideEnded:
        raise
    except Exception as error:
        return from_exception(name, error, subject.request.code_bodies)
    return None


if __name__ == "__main__":
    main()

"""Program: climb the ladder of checks and write what they found to check_result.json.

Runs in a sandbox of its own, in a folder with check_request.json and the text of environment.py.
The code itself runs in the hosts ``environment`` and ``functions``.
"""

import json
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from sandbox.programs import requests
from sandbox.programs.asking import Ask, hosts_of_arguments
from sandbox.programs.findings import CheckFailed, Finding, from_exception
from sandbox.programs.ladder import checks_for
from sandbox.programs.source_checks import SOURCE_CHECKS, check_source
from sandbox.programs.standard_checkers import standard_checkers
from sandbox.programs.subject import Check, Subject
from sandbox.programs.wire import OtherSideEnded


def main() -> None:
    """Read the request, check, write the result."""
    request = requests.CheckRequest.read(Path(requests.CHECK_REQUEST))
    started = time.monotonic()
    hosts = hosts_of_arguments()
    passed, findings = check(
        request,
        hosts["environment"],
        hosts["functions"],
        hosts.get("standard"),
        hosts.get("second_reading"),
        hosts.get("heuristic"),
    )
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
    ask_second_reading: Ask | None = None,
    ask_heuristic: Ask | None = None,
) -> tuple[list[str], list[Finding]]:
    """Names of the checks that found nothing, and the findings of the others.

    ``ask_standard`` asks the host of the standard environment, if there is any, that environment.py
    is said to be, ``ask_second_reading`` that of second_reading.py and ``ask_heuristic`` that of
    heuristic.py.

    Raises:
        OtherSideEnded: a process in which the code runs ended before its time.
    """
    passed: list[str] = []
    findings: list[Finding] = []
    hosts = ask_environment, ask_functions, ask_standard, ask_second_reading, ask_heuristic
    subject = Subject(request, *hosts)
    for name, found in _climbed(request, subject):
        if not found:
            passed.append(name)
        elif name == standard_checkers.__name__ and findings:
            # They would say the same again, less precisely.
            continue
        else:
            # One broken line fails many checks; it is said once.
            said = {(f.place, words) for f in findings for words in (f.found, f.message)}
            findings += [f for f in found if not {(f.place, f.found), (f.place, f.message)} & said]
    return passed, findings


def up_to_the_first_finding(
    request: requests.CheckRequest, subject: Subject, lasts: Collection[str] = ()
) -> tuple[list[str], list[Finding]]:
    """Names of the checks that found nothing, up to the first that found what blocks.

    None is asked once all of ``lasts`` were, if any are named.
    """
    passed: list[str] = []
    waited_for = set(lasts)
    for name, found in _climbed(request, subject):
        if any(finding.blocking for finding in found):
            return passed, found
        passed.append(name)
        waited_for.discard(name)
        if lasts and not waited_for:
            break
    return passed, []


def each_finding(request: requests.CheckRequest, subject: Subject) -> list[Finding]:
    """What each check finds by itself, also where another has said it."""
    return [finding for _, found in _climbed(request, subject) for finding in found]


def _climbed(
    request: requests.CheckRequest, subject: Subject
) -> Iterator[tuple[str, list[Finding]]]:
    """Each check with what it finds; those that need what another found broken are left out."""
    if not request.gymnasium_id:
        findings = check_source(request)
        for name in SOURCE_CHECKS:
            yield name, [finding for finding in findings if finding.check == name]
        if findings:
            return
    failure = _run(constructs, subject)
    yield constructs.__name__, [failure] if failure else []
    for ladder_check in [] if failure else checks_for(request):
        failure = _run(ladder_check, subject)
        yield ladder_check.__name__, [failure] if failure else []


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
            boiled = from_exception(name, failed.__cause__, subject.request)
            if boiled.place:
                return boiled
        return failed.finding(name)
    except OtherSideEnded:
        raise
    except Exception as error:
        return from_exception(name, error, subject.request)
    return None


if __name__ == "__main__":
    main()

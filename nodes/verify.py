"""The whole ladder on a folder that holds a specification and an environment.

What a run goes through step by step, for an environment that a person wrote or changed.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.problems import Problems
from nodes.codegen.render import render_spec_functions
from nodes.executor import run_checks
from nodes.heuristic import PROGRAM as HEURISTIC
from nodes.run_folder import LARGEST_ARTEFACT, write_whole
from nodes.settings import RunSettings
from nodes.spec_checks.ladder import SPEC_CHECKS, check_spec
from sandbox.results import read_bytes
from state.findings import CheckReport
from state.spec import Spec

ENVIRONMENT = "environment.py"


def verify(spec: Spec, folder: Path, settings: RunSettings) -> tuple[CheckReport, str]:
    """The report on ``spec`` and on environment.py in ``folder``, and the isolation of the code.

    A heuristic.py there is one of the policies that reward and objective are to rank alike.
    Nothing in ``folder`` is changed. Where the specification cannot be compiled, the environment
    is not looked at, and the isolation is empty.

    Raises:
        ResultInvalid: environment.py is not there where one is needed, or a file is no plain one.
        SandboxUnavailable: this machine cannot contain the environment's code.
    """
    started = time.monotonic()
    compiled = compile_spec(spec) if spec.dynamics.ruled else (None, Problems())
    findings = check_spec(spec, compiled)
    wrong = {finding.check for finding in findings}
    passed = [check.__name__ for check in SPEC_CHECKS if check.__name__ not in wrong]
    program, problems = compiled
    isolation = ""
    if not problems.findings:
        own_code = (folder / ENVIRONMENT).exists() or not spec.dynamics.gymnasium_id
        rule = (folder / HEURISTIC).exists() and spec.dynamics.ruled
        with TemporaryDirectory() as place:
            if own_code:
                code = read_bytes(folder, ENVIRONMENT, LARGEST_ARTEFACT)
                write_whole(Path(place) / ENVIRONMENT, code)
            if rule:
                code = read_bytes(folder, HEURISTIC, LARGEST_ARTEFACT)
                write_whole(Path(place) / HEURISTIC, code)
            if program is not None:
                functions = render_spec_functions(program)[0]
                write_whole(Path(place) / "spec_functions.py", functions)
            twin = own_code and bool(spec.dynamics.gymnasium_id)
            report, isolation = run_checks(spec, Path(place), settings, twin=twin, heuristic=rule)
        findings += report.findings
        passed += report.passed
    seconds = round(time.monotonic() - started, 3)
    return CheckReport(passed=passed, findings=findings, seconds=seconds), isolation

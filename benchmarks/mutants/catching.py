"""Which checks find a mutant, each asked by itself, so that none hides behind another.

The code is our own, with one planted fault, so it runs in this process.
"""

import contextlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.mutants.catalogue import Mutant
from nodes.check_request import check_request
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.render import render_spec_functions
from nodes.spec_checks.ladder import check_spec
from sandbox.hosts import functions
from sandbox.hosts.environment import EnvironmentHost
from sandbox.programs.asking import Ask, in_this_process
from sandbox.programs.check import each_finding
from sandbox.programs.subject import Subject
from sandbox.training.environments import make_own_environment

Caught = dict[str, str]
"""Checks that found something, each with what it said."""


def caught(mutant: Mutant, seed: int = 0) -> Caught:
    """What the whole ladder says about ``mutant``, check by check; findings and remarks alike."""
    found: Caught = {}
    for spec_finding in check_spec(mutant.spec):
        found.setdefault(spec_finding.check, spec_finding.message)
    program = compile_spec(mutant.spec)[0] if mutant.spec.dynamics.ruled else None
    if mutant.spec.dynamics.ruled and program is None:
        return found
    with _folder() as folder:
        if mutant.environment:
            (folder / "environment.py").write_text(mutant.environment, encoding="utf-8")
        if program is not None:
            text = render_spec_functions(program)[0]
            (folder / "spec_functions.py").write_text(text, encoding="utf-8")
        twin = bool(mutant.environment and mutant.spec.dynamics.gymnasium_id)
        try:
            request = check_request(mutant.spec, seed, twin=twin)
        except ValueError as error:
            return {**found, "request": str(error)}
        hosts = _host(request.gymnasium_id), in_this_process(functions.ANSWERS)
        standard = _host(mutant.spec.dynamics.gymnasium_id) if twin else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for finding in each_finding(request, Subject(request, *hosts, standard)):
                found.setdefault(finding.check, finding.message)
    return found


def _host(gymnasium_id: str) -> Ask:
    return in_this_process(EnvironmentHost(lambda: make_own_environment(gymnasium_id)).answers())


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A new folder that is the current one, as the programs expect."""
    before = Path.cwd()
    with TemporaryDirectory() as place:
        os.chdir(place)
        try:
            yield Path(place)
        finally:
            os.chdir(before)

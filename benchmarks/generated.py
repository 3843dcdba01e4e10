"""The environment of a specification that lies in this repository, in this process."""

import importlib.util
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gymnasium

from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.render import render_environment
from state.spec import Spec


def make(spec: Spec) -> gymnasium.Env[Any, Any]:
    """The standard environment that ``spec`` names, or the one compiled from it.

    Code that a model wrote runs only in the sandbox; here everything comes from the compiler.

    Raises:
        ValueError: the specification cannot be compiled, or it needs code of a model's.
    """
    if spec.dynamics.gymnasium_id:
        return gymnasium.make(spec.dynamics.gymnasium_id, disable_env_checker=True)
    program, problems = compile_spec(spec)
    if program is None:
        raise ValueError(f"{spec.title} cannot be compiled: {problems.findings[0].message}")
    if program.bodies:
        raise ValueError(f"{spec.title} needs code of a model's, which runs only in the sandbox")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "environment.py"
        path.write_text(render_environment(program, []), encoding="utf-8")
        specification = importlib.util.spec_from_file_location("generated_environment", path)
        assert specification is not None
        assert specification.loader is not None
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
    environment: gymnasium.Env[Any, Any] = module.Environment()
    return environment

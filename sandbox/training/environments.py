"""Making the environment that is trained on, generated or standard."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation

Environment = gymnasium.Env[Any, Any]


def make_own_environment(gymnasium_id: str, folder: Path | None = None) -> Environment:
    """A standard environment, or ``Environment()`` of environment.py in ``folder``.

    Raises whatever the generated code raises.
    """
    if gymnasium_id:
        return gymnasium.make(gymnasium_id)
    environment: Environment = import_file("environment", folder).Environment()
    return environment


def make_environment(gymnasium_id: str, folder: Path | None = None) -> Environment:
    """The same with observations as one flat row of numbers, as policies see them."""
    environment = make_own_environment(gymnasium_id, folder)
    space = environment.observation_space
    flat = isinstance(space, spaces.Box) and len(space.shape) == 1
    return environment if flat else FlattenObservation(environment)


def import_file(name: str, folder: Path | None = None) -> Any:
    """Import the file ``name``.py of ``folder`` (the current one), whatever else has that name.

    Raises:
        ImportError: there is no such file.
    """
    path = (folder or Path.cwd()).resolve() / f"{name}.py"
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__file__", None) == str(path):
        return loaded
    specification = importlib.util.spec_from_file_location(name, path)
    if not path.exists() or specification is None or specification.loader is None:
        raise ImportError(f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module

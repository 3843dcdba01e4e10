"""Making the environment under test, generated or standard."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation


def make_environment(gymnasium_id: str) -> gymnasium.Env[Any, Any]:
    """Make the standard environment, or ``Environment()`` from environment.py in this folder.

    Raises whatever the generated code raises.
    """
    if gymnasium_id:
        return gymnasium.make(gymnasium_id)
    environment: gymnasium.Env[Any, Any] = import_from_folder("environment").Environment()
    return environment


def make_flat_environment(gymnasium_id: str) -> gymnasium.Env[Any, Any]:
    """The same with observations as one flat row of numbers, as train.py sees them."""
    environment = make_environment(gymnasium_id)
    space = environment.observation_space
    flat = isinstance(space, spaces.Box) and len(space.shape) == 1
    return environment if flat else FlattenObservation(environment)


def import_from_folder(name: str) -> Any:
    """Import the file ``name``.py of the current folder, whatever else has that name."""
    path = Path.cwd() / f"{name}.py"
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__file__", None) == str(path):
        return loaded
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise ImportError(f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module

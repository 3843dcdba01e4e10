"""The hosts of generated code inside the test's own process, for tests of the judging programs."""

from collections.abc import Callable
from typing import Any

import gymnasium

from sandbox.hosts import functions, heuristic
from sandbox.hosts.environment import EnvironmentHost
from sandbox.programs.asking import Ask, in_this_process
from sandbox.programs.remote import RemoteEpisodes
from sandbox.training.environments import make_environment, make_own_environment


def hosts(gymnasium_id: str = "", *, flat: bool = True) -> dict[str, Ask]:
    """All but the policy, for the code in the current folder."""
    make = make_environment if flat else make_own_environment
    return {
        "environment": in_this_process(EnvironmentHost(lambda: make(gymnasium_id)).answers()),
        "functions": in_this_process(functions.ANSWERS),
        "heuristic": in_this_process(heuristic.ANSWERS),
    }


def episodes(gymnasium_id: str = "") -> RemoteEpisodes:
    """Episodes of the environment in the current folder, or of a standard one."""
    return RemoteEpisodes(hosts(gymnasium_id)["environment"])


def hosted(make: Callable[[], gymnasium.Env[Any, Any]]) -> RemoteEpisodes:
    """Environments of the test's, asked as if they were far away."""
    return RemoteEpisodes(in_this_process(EnvironmentHost(make).answers()))

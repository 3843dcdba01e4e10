"""Checks that the spaces are those of the spec, and that observations lie in theirs."""

from typing import Any

import numpy as np
from gymnasium import spaces

from sandbox.programs.findings import CheckFailed
from sandbox.programs.requests import ActionSpace
from sandbox.programs.subject import Subject, describe


def spaces_as_declared(subject: Subject) -> None:
    """The action space and the size of an observation are those of the spec."""
    request, environment = subject.request, subject.environment
    found = environment.action_space
    if request.action_space is not None and not _same_space(request.action_space, found):
        raise CheckFailed(
            "environment",
            "the action space differs from the decision variables",
            place="action_space",
            expected=str(request.action_space),
            found=str(found),
        )
    if isinstance(found, spaces.Box) and not found.is_bounded():
        raise CheckFailed(
            "variable",
            "a decision has no finite limits, so no policy can be trained",
            place="action_space",
            expected="finite low and high for each decision variable",
            found=str(found),
        )
    seen = environment.observation_space
    if request.gymnasium_id or request.twin or not request.rules:
        if seen.shape is None:
            return
        size = int(np.prod(seen.shape))
    elif not isinstance(seen, spaces.Box) or seen.dtype != np.float32 or len(seen.shape) != 1:
        raise CheckFailed(
            "sar",
            "the observation space is not one flat row of numbers",
            place="observation_space",
            expected="flat Box of float32",
            found=str(seen),
        )
    else:
        size = seen.shape[0]
    if request.observation_size is not None and size != request.observation_size:
        raise CheckFailed(
            "sar",
            "the observation has another size than the spec says",
            place="observation_space",
            expected=f"{request.observation_size} numbers",
            found=f"{size} numbers",
        )


def _same_space(declared: ActionSpace, found: spaces.Space[Any]) -> bool:
    if isinstance(found, spaces.Discrete):
        return declared.kind == "discrete" and [int(found.n)] == declared.sizes
    if isinstance(found, spaces.MultiDiscrete):
        return declared.kind == "multi_discrete" and found.nvec.tolist() == declared.sizes
    if isinstance(found, spaces.Box):
        if declared.kind != "box" or found.low.size != len(declared.low):
            return False
        return np.allclose(found.low.ravel(), declared.low, rtol=1e-5) and np.allclose(
            found.high.ravel(), declared.high, rtol=1e-5
        )
    return False


def observation_inside_its_space(subject: Subject) -> None:
    """Every observation lies in the observation space."""
    space = subject.environment.observation_space
    first = subject.make().reset(seed=subject.request.seed)
    seen = [(first, "reset")]
    seen += [(transition.observation, transition.where()) for transition in subject.transitions]
    for observation, where in seen:
        if not space.contains(observation):
            raise CheckFailed(
                "sar",
                "an observation lies outside the observation space",
                place="observation_space",
                expected=str(space),
                found=f"{_why_outside(space, observation)} at {where}",
            )


def _why_outside(space: spaces.Space[Any], observation: Any) -> str:
    if not isinstance(observation, np.ndarray):
        return f"a {type(observation).__name__} instead of an array"
    if not isinstance(space, spaces.Box):
        return describe(observation)
    if observation.shape != space.shape or observation.dtype != space.dtype:
        return f"an array of shape {observation.shape} of {observation.dtype}"
    # NaN is neither.
    inside = (observation >= space.low) & (observation <= space.high)
    place = int(np.argmin(inside))
    limits = f"{space.low[place]:.6g} to {space.high[place]:.6g}"
    return f"number {place} is {observation[place]:.6g}, outside {limits}"

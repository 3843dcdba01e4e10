"""Checks that run the environment and hold it against its own contract.

Every check is a function of the ``Subject``; it returns when it finds nothing and raises
``CheckFailed``, or whatever the generated code raises, when it does. ``GENERATED_CHECKS`` and
``STANDARD_CHECKS`` are the ladders, climbed from first to last.
"""

import copy
import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from sandbox.programs.environments import import_from_folder, make_environment
from sandbox.programs.findings import CheckFailed
from sandbox.programs.requests import ActionSpace, CheckRequest

TOLERANCE = 1e-6


@dataclass(frozen=True)
class Transition:
    """What one step gave, with the number of the step in its episode (from 1)."""

    step: int
    action: Any
    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: dict[str, Any]

    def where(self) -> str:
        """The step and action, for a message."""
        return f"step {self.step} of an episode, action {describe(self.action)}"


class Subject:
    """The environment under test and the random steps through it, taken once for all checks."""

    def __init__(self, request: CheckRequest) -> None:
        self.request = request

    def make(self) -> gymnasium.Env[Any, Any]:
        """A fresh environment."""
        return make_environment(self.request.gymnasium_id)

    @cached_property
    def environment(self) -> gymnasium.Env[Any, Any]:
        """One environment for checks that leave it as it was."""
        return self.make()

    @cached_property
    def transitions(self) -> list[Transition]:
        """``random_steps`` steps under random actions, through as many episodes as that takes."""
        return list(random_walk(self.make(), self.request))

    @cached_property
    def functions(self) -> Any:
        """The module spec_functions.py."""
        return import_from_folder("spec_functions")


def random_walk(
    environment: gymnasium.Env[Any, Any], request: CheckRequest
) -> Iterator[Transition]:
    """Steps under random actions; an episode that runs past the horizon is broken off."""
    environment.action_space.seed(request.seed)
    deadline = time.monotonic() + request.seconds
    environment.reset(seed=request.seed)
    step = 0
    for _ in range(request.random_steps):
        step += 1
        action = environment.action_space.sample()
        observation, reward, terminated, truncated, info = environment.step(action)
        yield Transition(step, action, observation, reward, terminated, truncated, info)
        if terminated or truncated or step > request.horizon:
            if time.monotonic() > deadline:
                return
            environment.reset()
            step = 0


def describe(value: Any) -> str:
    """A value in a few characters."""
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, threshold=8, separator=", ")
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


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
    if request.gymnasium_id:
        size = int(np.prod(seen.shape or ()))
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


# Warnings of the two standard checkers that say nothing against an environment of ours.
NOISE = (
    # The trainer rescales actions to [-1, 1] itself; decisions keep their own unit here.
    "symmetric and normalized",
    # A quantity without limits is allowed; the trainer scales what it measures.
    "minimum value is -infinity",
    "maximum value is infinity",
    # The environment is used as a class and draws no pictures.
    "not having a spec",
    "render",
)


def standard_checkers(subject: Subject) -> None:
    """Gymnasium's and Stable-Baselines3's own checkers are content; warnings count."""
    from gymnasium.utils.env_checker import check_env as check_with_gymnasium
    from stable_baselines3.common.env_checker import check_env as check_with_sb3

    checkers: list[tuple[str, Callable[[], None]]] = [
        ("gymnasium", lambda: check_with_gymnasium(subject.make(), skip_render_check=True)),
        ("stable_baselines3", lambda: check_with_sb3(subject.make(), warn=True)),
    ]
    for name, checker in checkers:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                checker()
            except AssertionError as error:
                # Gymnasium's checker takes an episode of a single step for a mistake.
                if subject.request.horizon == 1 and "truncates after 1 step" in str(error):
                    continue
                raise CheckFailed(
                    "environment", f"the checker of {name} objects", found=str(error)
                ) from error
        said = [_plain(str(w.message)) for w in caught]
        serious = [text for text in said if not any(noise in text for noise in NOISE)]
        if serious:
            raise CheckFailed(
                "environment", f"the checker of {name} warns", found="; ".join(serious)
            )


def _plain(text: str) -> str:
    return text.replace("\x1b[33m", "").replace("\x1b[0m", "").removeprefix("WARN: ")


def same_seed_same_trajectory(subject: Subject) -> None:
    """A fresh and a used environment with one seed and the same actions give the same."""
    seed, used = subject.request.seed, subject.make()
    first, _ = _trajectory(subject, seed), _trajectory(subject, seed + 1, used)
    second = _trajectory(subject, seed, used)
    for step, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            raise CheckFailed(
                "environment",
                "the same seed and actions give another trajectory",
                place=f"step {step}" if step else "reset",
                expected="all randomness from self.np_random, all state set in reset",
                found=f"{one} and {other}",
            )


def other_seed_other_trajectory(subject: Subject) -> None:
    """Where the spec has chance, another seed gives something else."""
    if not subject.request.has_chance:
        return
    first = _trajectory(subject, subject.request.seed)
    others = [_trajectory(subject, subject.request.seed + shift) for shift in range(1, 6)]
    if all(other == first for other in others):
        raise CheckFailed(
            "environment",
            "six different seeds give the same trajectory although the spec has chance",
            place="reset, step",
            expected="draws from self.np_random, which super().reset(seed=seed) seeds",
            found="no difference in observations and rewards",
        )


def _trajectory(
    subject: Subject,
    seed: int,
    environment: gymnasium.Env[Any, Any] | None = None,
    steps: int = 130,
) -> list[str]:
    environment = environment or subject.make()
    environment.action_space.seed(subject.request.seed)
    observation, _ = environment.reset(seed=seed)
    seen = [repr(np.asarray(observation).tolist())]
    for _ in range(steps):
        action = environment.action_space.sample()
        observation, reward, terminated, truncated, _ = environment.step(action)
        seen.append(repr((np.asarray(observation).tolist(), float(reward), terminated, truncated)))
        if terminated or truncated:
            observation, _ = environment.reset()
            seen.append(repr(np.asarray(observation).tolist()))
    return seen


def finite_numbers(subject: Subject) -> None:
    """No NaN and no infinity in rewards, observations and named quantities."""
    for transition in subject.transitions:
        if not math.isfinite(float(transition.reward)):
            terms = transition.info.get("reward_terms", {})
            bad = [name for name, value in terms.items() if not math.isfinite(float(value))]
            raise CheckFailed(
                "sar",
                f"the reward is {transition.reward}",
                place=f"reward term {', '.join(bad)}" if bad else "reward",
                expected="a finite number",
                found=f"{transition.reward} at {transition.where()}",
            )
        if not np.all(np.isfinite(transition.observation)):
            raise CheckFailed(
                "environment",
                "an observation holds NaN or infinity",
                place="observation",
                expected="finite numbers",
                found=f"{describe(transition.observation)} at {transition.where()}",
            )
        for name, value in transition.info.get("quantities", {}).items():
            if not np.all(np.isfinite(np.asarray(value, dtype=float))):
                raise CheckFailed(
                    _owner_of_variable(subject, name),
                    f"{name} is NaN or infinite",
                    place=name,
                    expected="finite numbers",
                    found=f"{describe(value)} at {transition.where()}",
                )


def _owner_of_variable(subject: Subject, name: str) -> str:
    return next((r.owner for r in subject.request.ranges if r.name == name), "environment")


def ends_by_the_horizon(subject: Subject) -> None:
    """An episode is truncated at the horizon, never before it and never after it."""
    horizon = subject.request.horizon
    for transition in subject.transitions:
        late = transition.step >= horizon and not (transition.terminated or transition.truncated)
        early = transition.truncated and transition.step < horizon
        if late or early:
            raise CheckFailed(
                "environment",
                "the episode does not end at the horizon"
                if late
                else "the episode is truncated before the horizon",
                place="truncated",
                expected=f"truncated after exactly {horizon} steps unless terminated earlier",
                found=f"terminated={transition.terminated}, truncated={transition.truncated} "
                f"after {transition.step} steps",
            )


def ranges_hold(subject: Subject) -> None:
    """Every named quantity stays within the limits that the spec declares."""
    for transition in subject.transitions:
        quantities = transition.info["quantities"]
        for declared in subject.request.ranges:
            if declared.name not in quantities:
                raise CheckFailed(
                    "environment",
                    f"info['quantities'] lacks {declared.name}",
                    place="info",
                    expected="every declared variable by name",
                    found=", ".join(quantities),
                )
            values = np.asarray(quantities[declared.name], dtype=float)
            slack = TOLERANCE * max(1.0, abs(declared.low or 0.0), abs(declared.high or 0.0))
            low_broken = declared.low is not None and np.any(values < declared.low - slack)
            high_broken = declared.high is not None and np.any(values > declared.high + slack)
            if low_broken or high_broken:
                raise CheckFailed(
                    declared.owner,
                    f"{declared.name} leaves its declared range",
                    place=declared.name,
                    expected=f"from {declared.low} to {declared.high}",
                    found=f"{describe(quantities[declared.name])} at {transition.where()}",
                )


def constraints_hold(subject: Subject) -> None:
    """Every constraint of the spec holds after every step."""
    for transition in subject.transitions:
        for name, holds in subject.functions.constraints(transition.info["quantities"]).items():
            if not holds:
                raise CheckFailed(
                    "environment",
                    f"constraint {name} is broken",
                    place=f"constraint {name}",
                    expected="true after every step, whatever the action",
                    found=f"false at {transition.where()}",
                )


def reward_is_the_sum_of_its_terms(subject: Subject) -> None:
    """The reward equals the sum of its terms, and the terms equal the spec's expressions."""
    for transition in subject.transitions:
        terms = {name: float(value) for name, value in transition.info["reward_terms"].items()}
        if not _close(float(transition.reward), sum(terms.values())):
            raise CheckFailed(
                "environment",
                "the reward is not the sum of its terms",
                place="reward",
                expected=f"{sum(terms.values()):.6g}, the sum of {terms}",
                found=f"{float(transition.reward):.6g} at {transition.where()}",
            )
        again = subject.functions.reward_terms(transition.info["quantities"])
        for name in sorted(set(terms) | set(again)):
            one, other = terms.get(name, math.nan), float(again.get(name, math.nan))
            if not _close(one, other):
                raise CheckFailed(
                    "environment",
                    f"reward term {name} differs from its expression in the spec",
                    place=f"reward term {name}",
                    expected=f"{other:.6g} from the named quantities after the step",
                    found=f"{one:.6g} at {transition.where()}",
                )


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-6)


def observation_inside_its_space(subject: Subject) -> None:
    """Every observation lies in the observation space."""
    space = subject.environment.observation_space
    first, _ = subject.make().reset(seed=subject.request.seed)
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
    place = int(np.argmax((observation < space.low) | (observation > space.high)))
    limits = f"{space.low[place]:.6g} to {space.high[place]:.6g}"
    return f"number {place} is {observation[place]:.6g}, outside {limits}"


def copies_step_alike(subject: Subject) -> None:
    """A deep copy steps ahead exactly as the original does, and leaves the original alone."""
    environment = subject.make()
    environment.action_space.seed(subject.request.seed + 1)
    environment.reset(seed=subject.request.seed)
    for step in range(1, 21):
        action = environment.action_space.sample()
        ahead = _outcome(copy.deepcopy(environment).step(action))
        result = environment.step(action)
        if ahead != _outcome(result):
            raise CheckFailed(
                "environment",
                "a deep copy of the environment steps differently from the original",
                place=f"step {step}",
                expected="all state in plain attributes of the environment",
                found=f"{ahead} from the copy, {_outcome(result)} from the original",
            )
        if result[2] or result[3]:
            environment.reset()


def _outcome(result: tuple[Any, ...]) -> str:
    observation, reward, terminated, truncated, _ = result
    return repr((np.asarray(observation).tolist(), float(reward), terminated, truncated))


def actions_matter(subject: Subject) -> None:
    """From some state, two actions lead to different rewards or observations."""
    environment = subject.make()
    environment.action_space.seed(subject.request.seed + 2)
    environment.reset(seed=subject.request.seed)
    for _ in range(30):
        actions = [environment.action_space.sample() for _ in range(6)]
        if len({_futures(environment, action) for action in actions}) > 1:
            return
        _, _, terminated, truncated, _ = environment.step(actions[0])
        if terminated or truncated:
            environment.reset()
    raise CheckFailed(
        "environment",
        "no action makes any difference to rewards or observations",
        place="step",
        expected="some decision changes the reward or what follows",
        found="180 random actions in 30 states, each kept up for 10 steps",
    )


def _futures(environment: gymnasium.Env[Any, Any], action: Any, steps: int = 10) -> str:
    ahead = copy.deepcopy(environment)
    seen = []
    for _ in range(steps):
        result = ahead.step(action)
        seen.append(_outcome(result))
        if result[2] or result[3]:
            break
    return "".join(seen)


Check = Callable[[Subject], None]

GENERATED_CHECKS: list[Check] = [
    spaces_as_declared,
    observation_inside_its_space,
    same_seed_same_trajectory,
    other_seed_other_trajectory,
    finite_numbers,
    ends_by_the_horizon,
    ranges_hold,
    constraints_hold,
    reward_is_the_sum_of_its_terms,
    copies_step_alike,
    actions_matter,
    standard_checkers,
]
STANDARD_CHECKS: list[Check] = [spaces_as_declared, same_seed_same_trajectory]

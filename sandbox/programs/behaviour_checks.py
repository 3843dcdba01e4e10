"""Checks that compare runs with each other: seeds, copies, actions."""

from typing import Any

import numpy as np
from gymnasium import spaces

from sandbox.programs.findings import CheckFailed
from sandbox.programs.remote import RemoteEnvironment
from sandbox.programs.subject import Subject, describe

STATES_TRIED = 12


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
    environment: RemoteEnvironment | None = None,
    steps: int = 130,
) -> list[str]:
    environment = environment or subject.make()
    environment.action_space.seed(subject.request.seed)
    observation = environment.reset(seed=seed)
    seen = [repr(np.asarray(observation).tolist())]
    for _ in range(steps):
        action = environment.action_space.sample()
        observation, reward, terminated, truncated, _ = environment.step(action)
        seen.append(repr((np.asarray(observation).tolist(), float(reward), terminated, truncated)))
        if terminated or truncated:
            observation = environment.reset()
            seen.append(repr(np.asarray(observation).tolist()))
    return seen


def copies_step_alike(subject: Subject) -> None:
    """A deep copy steps ahead exactly as the original does, and leaves the original alone."""
    environment = subject.make()
    environment.action_space.seed(subject.request.seed + 1)
    environment.reset(seed=subject.request.seed)
    for step in range(1, 21):
        action = environment.action_space.sample()
        copied = environment.copy()
        ahead = _outcome(copied.step(action))
        copied.forget()
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
    deciding = {(one.decision, one.body) for one in subject.request.deciding}
    bodies = sorted({body for _, body in deciding})
    raise CheckFailed(
        "coding" if bodies and all(bodies) else "environment",
        "no action makes any difference to rewards or observations",
        place=_place_of_decisions(bodies),
        expected="some decision changes the reward or what follows",
        found="180 random actions in 30 states, each kept up for 10 steps"
        + _as_numbers(subject, sorted({decision for decision, _ in deciding})),
    )


def every_component_matters(subject: Subject) -> None:
    """Where several numbers are decided, each makes a difference in some state."""
    environment = subject.make()
    space = environment.action_space
    ends = _ends_of_components(space)
    waiting = set(range(len(ends)))
    space.seed(subject.request.seed + 3)
    environment.reset(seed=subject.request.seed)
    for _ in range(STATES_TRIED):
        if not waiting:
            return
        action = np.array(space.sample())
        for k in sorted(waiting):
            futures = set()
            for end in ends[k]:
                changed = action.copy()
                changed.flat[k] = end
                futures.add(_futures(environment, changed, steps=3))
            waiting -= {k} if len(futures) > 1 else set()
        _, _, terminated, truncated, _ = environment.step(action)
        if terminated or truncated:
            environment.reset()
    first = min(waiting)
    deciding = subject.request.deciding[first] if subject.request.deciding else None
    named = f" ({deciding.decision})" if deciding else ""
    raise CheckFailed(
        "coding" if deciding and deciding.body else "environment",
        f"number {first} of the action{named} makes no difference to rewards or observations",
        place=_place_of_decisions([deciding.body] if deciding else []),
        expected="each decision changes the reward or what follows in some state",
        found=f"no difference between its least and largest value in {STATES_TRIED} states"
        + _as_numbers(subject, [deciding.decision] if deciding else []),
    )


def _place_of_decisions(bodies: list[str]) -> str:
    """The code bodies through which alone the decisions act, if that is known."""
    return f"code body {', '.join(bodies)}" if bodies and all(bodies) else "step"


def _as_numbers(subject: Subject, decisions: list[str]) -> str:
    """How the decisions came, for code that waits for something else, such as words."""
    info = subject.transitions[0].info if subject.transitions else {}
    quantities = info.get("quantities", {})
    told = ", ".join(f"{n} = {describe(quantities[n])}" for n in decisions if n in quantities)
    return f", decisions as numbers such as {told}" if told else ""


def _ends_of_components(space: Any) -> list[tuple[Any, Any]]:
    """Least and largest value of each number of an action; none where there is only one."""
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.size > 1:
        return [(0, n - 1) for n in space.nvec.ravel().tolist() if n > 1]
    if isinstance(space, spaces.Box) and space.low.size > 1:
        return list(zip(space.low.ravel().tolist(), space.high.ravel().tolist(), strict=True))
    return []


def _futures(environment: RemoteEnvironment, action: Any, steps: int = 10) -> str:
    ahead = environment.copy()
    seen = []
    for _ in range(steps):
        result = ahead.step(action)
        seen.append(_outcome(result))
        if result[2] or result[3]:
            break
    ahead.forget()
    return "".join(seen)

"""Episodes begin near success first, and in the end as they truly do."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sandbox.training import curriculum as curriculum_module
from sandbox.training.actions import ActionCoding
from sandbox.training.curriculum import STAGES, WINDOW, Curriculum
from sandbox.training.features import Features, Scaling
from sandbox.training.simulator import plain_maker
from sandbox.training.vector_environment import SimulatorVecEnv
from sandbox.training.ways import Ways
from tests.unit.training.small_problems import Errand

DISCOUNT, USUAL = 0.95, -20.0
PLACES = 50
SIDE_BY_SIDE = 40


def curriculum_of(total_steps: int = 10**6) -> Curriculum:
    """Of ``Errand``: all is carried to place 0 from place k, and the first 10 lead nowhere."""
    states: Any = plain_maker(Errand)(PLACES)
    states.reset(0)
    for k, environment in enumerate(states.environments):
        environment.place, environment.goal, environment.carrying = k % 12, 0, 1
        environment.time_step = k
    seen = np.stack([e.observation() for e in states.environments])
    reached = np.where(np.arange(PLACES) < 10, USUAL, 90.0 - np.arange(PLACES))
    ways = Ways(states, seen, np.arange(PLACES), reached, reached, USUAL, 0.5, 0)
    return Curriculum(ways, DISCOUNT, total_steps, 0)


def begun(curriculum: Curriculum, times: int = 10) -> tuple[NDArray[np.int64], float]:
    """Time steps of episodes that began in a state of the curriculum, and their share."""
    simulator = plain_maker(Errand)(SIDE_BY_SIDE)
    found: list[NDArray[np.int64]] = []
    for _ in range(times):
        everyone = np.arange(SIDE_BY_SIDE)
        own = simulator.reset(1)
        seen, steps = curriculum.begin(simulator, everyone, own)
        environments: Any = simulator
        shown = [e.observation() for e in environments.environments]
        np.testing.assert_array_equal(shown, seen)
        assert [e.time_step for e in environments.environments] == steps.tolist()
        found.append(steps[steps > 0])
        np.testing.assert_array_equal(seen[steps == 0], own[steps == 0])
    steps = np.concatenate(found)
    return steps, len(steps) / (SIDE_BY_SIDE * times)


def ended(curriculum: Curriculum, rewards: float, episodes: int = WINDOW) -> NDArray[np.bool_]:
    """Let so many episodes of the present stage begin and end at once with these rewards."""
    state = int(np.flatnonzero(curriculum.stage_of == curriculum.stage)[0])
    curriculum.begun = np.full(episodes, state)
    curriculum.returns, curriculum.weights = np.zeros(episodes), np.ones(episodes)
    yes, no = np.ones(episodes, dtype=bool), np.zeros(episodes, dtype=bool)
    return curriculum.note(np.full(episodes, rewards), yes, no)


def test_the_first_are_those_nearest_to_the_gain() -> None:
    steps, share = begun(curriculum_of())
    assert set(steps) == {10, 11, 12, 13}
    assert share == pytest.approx(1 - curriculum_module.TRUE_SHARE, abs=0.08)


def test_success_opens_the_next_stage_and_failure_does_not() -> None:
    curriculum = curriculum_of()
    ended(curriculum, 0.0)
    assert curriculum.stage == 0
    ended(curriculum, 80.0)
    assert curriculum.stage == 1
    steps, _ = begun(curriculum)
    assert set(steps) == set(range(10, 18))
    # The newest stage has as many as all that are open together, and its part of those.
    assert np.mean(steps >= 14) == pytest.approx(0.75, abs=0.1)


def test_in_the_end_all_episodes_begin_as_they_truly_do() -> None:
    curriculum = curriculum_of()
    for _ in range(STAGES):
        assert not curriculum.over
        ended(curriculum, 80.0)
    assert curriculum.over
    assert begun(curriculum)[1] == 0


def test_without_success_it_is_over_in_time() -> None:
    curriculum = curriculum_of(total_steps=10 * WINDOW)
    for _ in range(7):
        assert not curriculum.over
        ended(curriculum, 0.0)
    assert curriculum.stage == 0
    assert curriculum.over
    assert begun(curriculum)[1] == 0


def test_what_cannot_succeed_any_more_is_broken_off() -> None:
    """Not even if the gain came at once; what began as it truly does goes on."""
    curriculum = curriculum_of()
    curriculum.begun = np.array([0, -1])
    curriculum.returns, curriculum.weights = np.zeros(2), np.ones(2)
    no = np.zeros(2, dtype=bool)
    steps = 1
    while not curriculum.note(np.array([-1.0, -1.0]), no, no)[0]:
        steps += 1
        assert steps < 60
    wanted = USUAL + 0.5 * (80.0 - USUAL)
    possible = [-(1 - DISCOUNT**t) / (1 - DISCOUNT) + DISCOUNT**t * 80.0 for t in range(60)]
    assert steps == next(t for t, value in enumerate(possible) if value < wanted)
    assert not curriculum.note(np.array([-1.0, -1.0]), no, no)[1]


def test_what_is_broken_off_is_cut_and_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    curriculum = curriculum_of()
    monkeypatch.setattr(curriculum, "note", lambda *told: np.array([True, False]))
    simulator = plain_maker(Errand)(2)
    environments = SimulatorVecEnv(
        simulator, Features(Scaling.off(4), horizon=60), ActionCoding(simulator.action_space),
        seed=0, curriculum=curriculum,
    )  # fmt: skip
    environments.reset()
    first = environments.time_steps.copy()
    _, rewards, done, infos = environments.step(np.zeros(2))
    assert (rewards.tolist(), done.tolist()) == ([-1, -1], [True, False])
    assert infos[0]["TimeLimit.truncated"] is True
    assert infos[0]["terminal_observation"][4] == pytest.approx(1 - 2 * (first[0] + 1) / 60)
    environments_of: Any = simulator
    times = [e.time_step for e in environments_of.environments]
    assert environments.time_steps.tolist() == times
    assert times[1] == first[1] + 1

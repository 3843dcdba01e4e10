"""Components that do not touch each other are solved as if each were alone."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training import factored
from sandbox.training.factored import NotFactored, learn, own_states
from sandbox.training.factored_policy import FactoredPolicy, OwnStates
from sandbox.training.judge import episode_returns
from sandbox.training.keep_best import KeepBest
from sandbox.training.policy import load_policy
from sandbox.training.problem import Piece, Problem
from sandbox.training.simulator import batched_maker

ITEMS, ROOM, MOST, DAYS = 4, 4, 2, 12
DEMAND = (0.25, 0.5, 0.25)
PROBLEM = Problem(
    horizon=DAYS,
    observation=[Piece("stock", [ITEMS], "", 0, ROOM, "integer"), Piece("day", [], "", 0, DAYS)],
    decisions=[Piece("order", [ITEMS], "", 0, MOST, "integer")],
)


def profit(stock: Any, order: Any, demand: Any) -> tuple[Any, Any]:
    """Of one item on one day, and what is left."""
    room = np.minimum(stock + order, ROOM)
    sold = np.minimum(room, demand)
    left = room - sold
    return 4.0 * sold - 1.0 * order - 1.0 * (order > 0) - 0.3 * left, left


class Shelves:
    """Items in a shop, in the form of a batched environment."""

    action_space = spaces.MultiDiscrete([MOST + 1] * ITEMS)
    observation_space = spaces.Box(0, DAYS, (ITEMS + 1,))

    def __init__(self, size: int) -> None:
        self.size = size
        self.stock = np.zeros((size, ITEMS))
        self.day = np.zeros(size)
        self.random = np.random.default_rng(0)

    def observation(self) -> NDArray[np.float32]:
        return np.column_stack([self.stock, self.day]).astype(np.float32)

    def reset(self, seed: int) -> NDArray[np.float32]:
        self.random = np.random.default_rng(seed)
        return self.restart(np.arange(self.size))

    def restart(self, which: Any) -> NDArray[np.float32]:
        self.stock[which], self.day[which] = 0, 0
        return self.observation()[which]

    def step(self, actions: Any) -> tuple[Any, ...]:
        demand = self.random.choice(3, p=DEMAND, size=(self.size, ITEMS))
        earned, self.stock = profit(self.stock, actions, demand)
        self.day += 1
        return self.observation(), self.reward(earned), self.day < 0, self.day >= DAYS

    def reward(self, earned: NDArray[np.float64]) -> NDArray[np.float64]:
        return earned.sum(axis=1)


class Scarce(Shelves):
    """Only what is earned above the others' mean counts, squared: items touch each other."""

    def reward(self, earned: NDArray[np.float64]) -> NDArray[np.float64]:
        return -((earned - 1) ** 2).sum(axis=1) * earned.sum(axis=1)


class Ending(Shelves):
    def step(self, actions: Any) -> tuple[Any, ...]:
        observations, rewards, _, truncated = super().step(actions)
        return observations, rewards, self.stock[:, 0] == 1, truncated


class Telling(Shelves):
    """Shows another number, which differs from episode to episode."""

    def observation(self) -> NDArray[np.float32]:
        shown = super().observation()
        shown[:, -1] += self.stock.sum(axis=1)
        return shown


def optimum() -> float:
    """Expected profit of all items over all days, by backward induction for one."""
    values = np.zeros(ROOM + 1)
    for _ in range(DAYS):
        worth = np.zeros((ROOM + 1, MOST + 1))
        for stock in range(ROOM + 1):
            for order in range(MOST + 1):
                for demand, share in enumerate(DEMAND):
                    earned, left = profit(stock, order, demand)
                    worth[stock, order] += share * (earned + values[int(left)])
        values = worth.max(axis=1)
    return ITEMS * float(values[0])


@pytest.fixture(name="judge")
def _judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(factored, "EPISODES", 1000)
    monkeypatch.setattr(factored, "STEPS", 60)
    judges = []

    def make(kind: type[Shelves]) -> KeepBest:
        judge = KeepBest(
            batched_maker(kind)(500), DAYS, np.array([0.0, 1.0]), total_timesteps=1,
            deadline=np.inf, folder=tmp_path,
        )  # fmt: skip
        judges.append(judge)
        return judge

    yield make
    for judge in judges:
        judge.close()


def test_it_comes_to_the_optimum_and_knows_it(judge: Any, tmp_path: Path) -> None:
    judged = judge(Shelves)
    steps = learn(batched_maker(Shelves), PROBLEM, 3, judged, tmp_path)
    assert steps == factored.ROUNDS * 60_000
    assert judged.stopped_because == "converged"
    simulator = batched_maker(Shelves)(4000)
    policy = load_policy(tmp_path, simulator.action_space)
    mean = episode_returns(policy, simulator, DAYS).mean()
    assert mean == pytest.approx(optimum(), rel=0.01)


def test_the_same_seed_gives_the_same_table(judge: Any, tmp_path: Path) -> None:
    tables = []
    for _ in range(2):
        learn(batched_maker(Shelves), PROBLEM, 3, judge(Shelves), tmp_path)
        tables.append((tmp_path / "policy.zip").read_bytes())
    assert tables[0] == tables[1]


def test_components_that_touch_each_other_do_not_keep_the_promise(
    judge: Any, tmp_path: Path
) -> None:
    judged = judge(Scarce)
    learn(batched_maker(Scarce), PROBLEM, 3, judged, tmp_path)
    assert judged.stopped_because == "total_timesteps"


@pytest.mark.parametrize(
    ("kind", "reason"), [(Ending, "end before their time"), (Telling, "more is seen")]
)
def test_what_is_met_can_refute_it(
    judge: Any, tmp_path: Path, kind: type[Shelves], reason: str
) -> None:
    with pytest.raises(NotFactored, match=reason):
        learn(batched_maker(kind), PROBLEM, 0, judge(kind), tmp_path)


WIDE = Piece("stock", [ITEMS], "", 0, 10_000, "integer")
REAL = Piece("stock", [ITEMS], "", 0, ROOM)
ORDER = Piece("order", [ITEMS], "", 0, MOST, "integer")


@pytest.mark.parametrize(
    ("observation", "decisions", "reason"),
    [
        ([WIDE], [ORDER], "too many states"),
        ([REAL], [ORDER], "not whole"),
        ([Piece("day", [], "", 0, 9, "integer")], [ORDER], "numbers of its own"),
        ([Piece("stock", [ITEMS], "", 0, None, "integer")], [ORDER], "no limits"),
    ],
)
def test_the_form_of_the_problem_can_refute_it(
    observation: list[Piece], decisions: list[Piece], reason: str
) -> None:
    problem = Problem(horizon=DAYS, observation=observation, decisions=decisions)
    with pytest.raises(NotFactored, match=reason):
        own_states(problem, Shelves.action_space)
    with pytest.raises(NotFactored, match="many choices"):
        own_states(problem, spaces.Discrete(3))


def test_own_numbers_are_one_state() -> None:
    states = OwnStates(np.array([[0, 2], [1, 3]]), np.array([0, -1]), np.array([3, 4]))
    assert states.size == 12
    seen = np.array([[0, 2, -1, 2], [1, 7, 1, -9]], dtype=np.float32)
    assert states(seen).tolist() == [[0, 11], [6, 8]]


def test_options_depend_on_state_and_time(tmp_path: Path) -> None:
    states = OwnStates(np.array([[0], [1]]), np.array([0]), np.array([2]))
    choices = np.array([[[0, 1], [2, 0]], [[1, 1], [2, 2]]])
    space = spaces.MultiDiscrete([50, 60], start=[5, 0])
    policy = FactoredPolicy(states, choices, space)
    seen = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.float32)
    expected = [[6, 2], [6, 0], [6, 2]]
    assert policy.actions(seen, np.array([0, 0, 9])).tolist() == expected
    policy.save(tmp_path)
    loaded = load_policy(tmp_path, space)
    assert loaded.actions(seen, np.array([0, 0, 9])).tolist() == expected

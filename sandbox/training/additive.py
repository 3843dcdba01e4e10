"""Q-learning for many choices at once: the value of a joint action is a sum over its components.

Each component has a value of its own, from its own part of the observation and from what all
share, by one network for all components; the sum is learned from the one reward (value
decomposition, Sunehag et al., 2018; action branching, Tavakoli et al., 2018). The best joint
action is then the best choice of each component, however many combinations there are.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from torch import nn

from sandbox.training.checkpoint import Checkpoint
from sandbox.training.features import Features
from sandbox.training.keep_best import KeepBest
from sandbox.training.policy import POLICY, SETUP
from sandbox.training.problem import Problem
from sandbox.training.simulator import Simulator

WIDTH = 64
BATCH = 64
CAPACITY = 100_000
LEARNING_RATE = 2e-3
TARGET_SHARE = 0.005
"""Share of the network that goes over into the slow one at each gradient step."""


@dataclass(frozen=True)
class Components:
    """What each component of the decision sees.

    ``inputs`` (c, w) are indices of features; an index one beyond the last stands for zero.
    ``sizes`` (c,) are the numbers of options.
    """

    inputs: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def as_json(self) -> dict[str, Any]:
        """Both as plain lists."""
        return {"inputs": self.inputs.tolist(), "sizes": self.sizes.tolist()}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Read back what ``as_json`` gave."""
        return cls(np.array(fields["inputs"]), np.array(fields["sizes"]))


def components_of(
    problem: Problem, sizes: NDArray[np.int64], features: Features, *, everything: bool
) -> Components:
    """Pair each component with the numbers of the observation that bear its index.

    A decision that is a list of k numbers goes with every observed list of k numbers; all other
    features are shared. With ``everything``, or where no list fits, each sees all features.
    """
    total = features.size
    own = [[] for _ in sizes] if everything else own_parts(problem, len(sizes))
    used = {index for indices in own for index in indices}
    shared = [index for index in range(total) if index not in used]
    if everything:
        shared = list(range(total))
    width = max(len(indices) for indices in own)
    rows = [[*indices, *[total] * (width - len(indices)), *shared] for indices in own]
    return Components(np.array(rows, dtype=np.int64), sizes)


def own_parts(problem: Problem, count: int) -> list[list[int]]:
    """Indices of the observed numbers that bear the index of each of ``count`` components."""
    own: list[list[int]] = [[] for _ in range(count)]
    starts = np.cumsum([0, *(p.size for p in problem.observation)])
    first = 0
    for decision in problem.decisions:
        for piece, start in zip(problem.observation, starts, strict=False):
            if decision.shape and piece.shape[:1] == decision.shape[:1] and decision.shape[0] > 1:
                width = piece.size // piece.shape[0]
                for k in range(decision.size):
                    own[first + k] += range(start + k * width, start + (k + 1) * width)
        first += decision.size
    return own


class AdditiveNetwork(nn.Module):
    """Values (n, c, options) of every option of every component; one network for all of them."""

    inputs: torch.Tensor
    which: torch.Tensor
    forbidden: torch.Tensor

    def __init__(self, components: Components) -> None:
        super().__init__()
        count, width = components.inputs.shape
        options = int(components.sizes.max())
        self.register_buffer("inputs", torch.as_tensor(components.inputs))
        self.register_buffer("which", torch.eye(count))
        allowed = np.arange(options)[None, :] < components.sizes[:, None]
        self.register_buffer("forbidden", torch.as_tensor(np.where(allowed, 0.0, -1e9)).float())
        self.body = nn.Sequential(
            nn.Linear(width + count, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU()
        )
        self.head = nn.Linear(WIDTH, options)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Values of features (n, m)."""
        padded = torch.nn.functional.pad(features, (0, 1))
        own = padded[:, self.inputs]
        which = self.which.expand(len(features), -1, -1)
        values: torch.Tensor = self.head(self.body(torch.cat([own, which], dim=2)))
        return values + self.forbidden


class AdditivePolicy:
    """The best option of each component."""

    def __init__(
        self, network: AdditiveNetwork, components: Components, features: Features, space: Any
    ) -> None:
        self.network, self.components, self.features = network, components, features
        self.start = np.asarray(getattr(space, "start", 0))

    def choose(self, features: NDArray[np.float32]) -> NDArray[np.int64]:
        """Indices of the best options (n, c)."""
        with torch.no_grad():
            values = self.network(torch.as_tensor(features))
            best: NDArray[np.int64] = values.argmax(2).numpy()
        return best

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """Joint actions (n, c)."""
        joint: NDArray[Any] = self.choose(self.features(observations, time_steps)) + self.start
        return joint

    def save(self, folder: Path) -> None:
        """Write both files."""
        arrays = {name: value.numpy() for name, value in self.network.state_dict().items()}
        with (folder / POLICY).open("wb") as file:
            np.savez(file, **arrays)
        setup = {
            "kind": "additive",
            "components": self.components.as_json(),
            "features": self.features.as_json(),
        }
        (folder / SETUP).write_text(json.dumps(setup, indent=1))

    @classmethod
    def load(cls, folder: Path, space: spaces.Space[Any]) -> Self:
        """Read what ``save`` wrote."""
        setup = json.loads((folder / SETUP).read_text())
        components = Components.from_json(setup["components"])
        network = AdditiveNetwork(components)
        with np.load(folder / POLICY, allow_pickle=False) as arrays:
            network.load_state_dict({name: torch.as_tensor(arrays[name]) for name in arrays.files})
        return cls(network, components, Features.from_json(setup["features"]), space)


class Memory:
    """The last transitions, as arrays."""

    def __init__(self, capacity: int, width: int, count: int) -> None:
        self.capacity, self.filled, self.place = capacity, 0, 0
        self.seen = np.zeros((capacity, width), dtype=np.float32)
        self.next_seen = np.zeros((capacity, width), dtype=np.float32)
        self.choices = np.zeros((capacity, count), dtype=np.int64)
        self.rewards = np.zeros(capacity, dtype=np.float32)
        self.goes_on = np.zeros(capacity, dtype=np.float32)

    def add(self, seen: Any, choices: Any, rewards: Any, next_seen: Any, goes_on: Any) -> None:
        """Keep n transitions."""
        where = (self.place + np.arange(len(seen))) % self.capacity
        self.seen[where], self.next_seen[where] = seen, next_seen
        self.choices[where], self.rewards[where], self.goes_on[where] = choices, rewards, goes_on
        self.place = int((self.place + len(seen)) % self.capacity)
        self.filled = min(self.filled + len(seen), self.capacity)

    def sample(self, size: int, random: np.random.Generator) -> tuple[torch.Tensor, ...]:
        """A random batch as tensors."""
        k = random.integers(self.filled, size=size)
        arrays = (self.seen, self.choices, self.rewards, self.next_seen, self.goes_on)
        return tuple(torch.as_tensor(array[k]) for array in arrays)


@dataclass(frozen=True)
class AdditiveSettings:
    """How to learn; ``gradient_steps`` are made after each step of all episodes."""

    discount: float
    total_timesteps: int
    seed: int
    evaluate_every: int
    gradient_steps: int = 2
    reward_shift: float = 0.0
    reward_scale: float = 1.0
    explored: float = 0.3
    """Share of the steps over which the share of random choices falls to its last value."""
    least_exploration: float = 0.05


class _Learning:
    """All that changes while additive values are learned, so that a checkpoint can hold it."""

    def __init__(
        self,
        simulator: Simulator,
        components: Components,
        features: Features,
        settings: AdditiveSettings,
    ) -> None:
        torch.manual_seed(settings.seed)
        self.settings, self.simulator, self.features = settings, simulator, features
        self.random = np.random.default_rng(settings.seed)
        self.network, self.slow = AdditiveNetwork(components), AdditiveNetwork(components)
        self.slow.load_state_dict(self.network.state_dict())
        space = simulator.action_space
        self.policy = AdditivePolicy(self.network, components, features, space)
        # The slow network is an average over many steps, and decides more evenly.
        self.averaged = AdditivePolicy(self.slow, components, features, space)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=LEARNING_RATE, fused=True)
        capacity = min(CAPACITY, settings.total_timesteps)
        self.memory = Memory(capacity, features.size, len(components.sizes))
        self.time_steps = np.zeros(simulator.size, dtype=np.int64)
        self.seen = features(simulator.reset(settings.seed), self.time_steps)
        self.made = self.next_evaluation = 0

    def go_on(self) -> None:
        """One step of all episodes, and the gradient steps after it."""
        settings, n = self.settings, self.simulator.size
        sizes = self.policy.components.sizes
        progress = self.made / settings.total_timesteps
        share = max(1 - progress / settings.explored * (1 - settings.least_exploration),
                    settings.least_exploration)  # fmt: skip
        choices = self.policy.choose(self.seen)
        drawn = self.random.integers(sizes, size=(n, len(sizes)))
        choices = np.where(self.random.random((n, len(sizes))) < share, drawn, choices)
        step = self.simulator.step(choices + self.policy.start)
        self.time_steps += 1
        after = self.features(step.observations, self.time_steps)
        rewards = (step.rewards - settings.reward_shift) / settings.reward_scale
        self.memory.add(self.seen, choices, rewards, after, 1.0 - step.terminated)
        self.made += n
        self.seen = after.copy()
        which = np.flatnonzero(step.terminated | step.truncated)
        if len(which):
            self.time_steps[which] = 0
            begun = self.simulator.restart(which)
            self.seen[which] = self.features(begun, self.time_steps[which])
        if self.memory.filled >= 5 * BATCH:
            self.optimizer.param_groups[0]["lr"] = LEARNING_RATE * max(1 - progress, 0.05)
            for _ in range(settings.gradient_steps):
                _improve(
                    self.network, self.slow, self.optimizer, self.memory, settings, self.random
                )


def learn(
    simulator: Simulator,
    components: Components,
    features: Features,
    settings: AdditiveSettings,
    judge: KeepBest,
    folder: Path,
    checkpoint: Checkpoint,
) -> int:
    """Learn until the judge is content, with the best policy in ``folder``; returns the steps.

    Goes on from the ``checkpoint`` where there is one.
    """
    begun = checkpoint.read()
    if begun is None:
        learning = _Learning(simulator, components, features, settings)
    else:
        learning = begun["learning"]
        judge.recall(begun["judge"])
    averaged = learning.averaged
    while learning.made < settings.total_timesteps:
        if checkpoint.due():
            checkpoint.write({"learning": learning, "judge": judge.memory()})
        if learning.made >= learning.next_evaluation:
            learning.next_evaluation += settings.evaluate_every
            if judge.consider(learning.made, averaged, lambda: averaged.save(folder)):
                return learning.made
        learning.go_on()
    judge.consider(learning.made, averaged, lambda: averaged.save(folder))
    return learning.made


def _improve(
    network: AdditiveNetwork,
    slow: AdditiveNetwork,
    optimizer: torch.optim.Optimizer,
    memory: Memory,
    settings: AdditiveSettings,
    random: np.random.Generator,
) -> None:
    """One gradient step towards the double-Q target of the sum."""
    seen, choices, rewards, after, goes_on = memory.sample(BATCH, random)
    target = rewards
    if settings.discount > 0:
        with torch.no_grad():
            best = network(after).argmax(2, keepdim=True)
            later = slow(after).gather(2, best).squeeze(2).sum(1)
            target = rewards + settings.discount * goes_on * later
    values = network(seen).gather(2, choices[:, :, None]).squeeze(2).sum(1)
    loss = nn.functional.smooth_l1_loss(values, target)
    optimizer.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(network.parameters(), 10.0)
    optimizer.step()
    with torch.no_grad():
        for mine, theirs in zip(network.parameters(), slow.parameters(), strict=True):
            theirs.lerp_(mine, TARGET_SHARE)

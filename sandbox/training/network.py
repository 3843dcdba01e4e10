"""A small network as a policy, trained on examples of good decisions."""

import json
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from torch import nn

from sandbox.training.actions import ActionCoding
from sandbox.training.additive import AdditiveNetwork, Components
from sandbox.training.features import Features
from sandbox.training.policy import POLICY, SETUP

WIDTH = 256
SAMPLING_SEED = 12345


class PolicyNetwork(nn.Module):
    """Features (n, m) to scores of every option, or to numbers in [-1, 1] for a box."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(),
            nn.Linear(WIDTH, outputs),
        )  # fmt: skip

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Scores or numbers for features (n, m)."""
        outputs: torch.Tensor = self.layers(features)
        return outputs


class NetworkPolicy:
    """Decides as its examples did.

    ``options`` are the numbers of options of each component of the decision, all scored side by
    side; empty for a box, whose numbers are answered directly. With ``components``, each
    component is scored from its own part of the observation by one network for all. A
    ``sampled`` policy draws its options as likely as it scores them, which leads out of circles.
    """

    def __init__(
        self,
        features: Features,
        coding: ActionCoding,
        components: Components | None = None,
        *,
        sampled: bool = False,
    ) -> None:
        self.features, self.coding, self.components = features, coding, components
        self.sampled = sampled
        self.random = np.random.default_rng(SAMPLING_SEED)
        space = coding.space
        self.options: list[int] = []
        if isinstance(space, spaces.Discrete):
            self.options = [int(space.n)]
        elif isinstance(space, spaces.MultiDiscrete):
            self.options = [int(n) for n in space.nvec]
        self.network: nn.Module
        if components is not None:
            self.network = AdditiveNetwork(components)
            self.options = [int(components.sizes.max())] * len(components.sizes)
        else:
            outputs = sum(self.options) or int(np.prod(space.shape or (1,)))
            self.network = PolicyNetwork(features.size, outputs)

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """The best-scored action of each episode, or one drawn."""
        with torch.no_grad():
            outputs = self.outputs(torch.as_tensor(self.features(observations, time_steps)))
        return self.coding.to_own(self._answers(outputs))

    def as_sampled(self) -> "NetworkPolicy":
        """The same network, of which actions are drawn; as it is where it draws nothing."""
        if not self.options:
            return self
        other = NetworkPolicy(self.features, self.coding, self.components, sampled=True)
        other.network = self.network
        return other

    def outputs(self, features: torch.Tensor) -> torch.Tensor:
        """All scores of each episode in one row, or the numbers of a box."""
        outputs: torch.Tensor = self.network(features)
        return outputs.flatten(1)

    def _answers(self, outputs: torch.Tensor) -> NDArray[Any]:
        if not self.options:
            shape = self.coding.space.shape or (1,)
            box: NDArray[Any] = outputs.clamp(-1, 1).numpy().reshape(len(outputs), *shape)
            return box
        scored = outputs.numpy()
        if self.sampled:
            # The largest of scores with Gumbel noise is drawn as likely as softmax says.
            scored = scored + self.random.gumbel(size=scored.shape)
        ends = np.cumsum(self.options)[:-1]
        chosen = [scores.argmax(1) for scores in np.split(scored, ends, axis=1)]
        single = isinstance(self.coding.space, spaces.Discrete)
        return chosen[0] if single else np.stack(chosen, axis=1)

    def loss(self, features: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
        """How far the network is from these answers of the learner's action space."""
        outputs = self.outputs(features)
        if not self.options:
            return nn.functional.mse_loss(outputs, answers.reshape(outputs.shape).float())
        answers = answers.reshape(len(outputs), -1).long()
        parts = [
            nn.functional.cross_entropy(scores, answers[:, k])
            for k, scores in enumerate(torch.split(outputs, self.options, dim=1))
        ]
        return torch.stack(parts).mean()

    def save(self, folder: Path) -> None:
        """Write both files."""
        arrays = {name: value.numpy() for name, value in self.network.state_dict().items()}
        with (folder / POLICY).open("wb") as file:
            np.savez(file, **arrays)
        setup: dict[str, Any] = {
            "kind": "network",
            "sampled": self.sampled,
            "features": self.features.as_json(),
        }
        if self.components is not None:
            setup["components"] = self.components.as_json()
        (folder / SETUP).write_text(json.dumps(setup, indent=1))

    @classmethod
    def load(cls, folder: Path, space: spaces.Space[Any]) -> Self:
        """Read what ``save`` wrote."""
        setup = json.loads((folder / SETUP).read_text())
        components = setup.get("components")
        policy = cls(
            Features.from_json(setup["features"]),
            ActionCoding(space),
            Components.from_json(components) if components else None,
            sampled=setup["sampled"],
        )
        with np.load(folder / POLICY, allow_pickle=False) as arrays:
            state = {name: torch.as_tensor(arrays[name]) for name in arrays.files}
        policy.network.load_state_dict(state)
        return policy

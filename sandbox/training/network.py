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
from sandbox.training.features import Features
from sandbox.training.policy import POLICY, SETUP

WIDTH = 128


class PolicyNetwork(nn.Module):
    """Features (n, m) to scores of every option, or to numbers in [-1, 1] for a box."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(),
            nn.Linear(WIDTH, outputs),
        )  # fmt: skip

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        outputs: torch.Tensor = self.layers(features)
        return outputs


class NetworkPolicy:
    """Decides as its examples did.

    ``options`` are the numbers of options of each component of the decision, all scored side by
    side; empty for a box, whose numbers are answered directly.
    """

    def __init__(self, features: Features, coding: ActionCoding) -> None:
        self.features, self.coding = features, coding
        space = coding.space
        self.options: list[int] = []
        if isinstance(space, spaces.Discrete):
            self.options = [int(space.n)]
        elif isinstance(space, spaces.MultiDiscrete):
            self.options = [int(n) for n in space.nvec]
        outputs = sum(self.options) or int(np.prod(space.shape or (1,)))
        self.network = PolicyNetwork(features.size, outputs)

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """The best-scored action of each episode."""
        with torch.no_grad():
            outputs = self.network(torch.as_tensor(self.features(observations, time_steps)))
        return self.coding.to_own(self._answers(outputs))

    def _answers(self, outputs: torch.Tensor) -> NDArray[Any]:
        if not self.options:
            shape = self.coding.space.shape or (1,)
            box: NDArray[Any] = outputs.clamp(-1, 1).numpy().reshape(len(outputs), *shape)
            return box
        chosen = [scores.argmax(1).numpy() for scores in outputs.split(self.options, dim=1)]
        single = isinstance(self.coding.space, spaces.Discrete)
        return chosen[0] if single else np.stack(chosen, axis=1)

    def loss(self, features: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
        """How far the network is from these answers of the learner's action space."""
        outputs = self.network(features)
        if not self.options:
            return nn.functional.mse_loss(outputs, answers.reshape(outputs.shape).float())
        answers = answers.reshape(len(outputs), -1).long()
        parts = [
            nn.functional.cross_entropy(scores, answers[:, k])
            for k, scores in enumerate(outputs.split(self.options, dim=1))
        ]
        return torch.stack(parts).mean()

    def save(self, folder: Path) -> None:
        """Write both files."""
        arrays = {name: value.numpy() for name, value in self.network.state_dict().items()}
        with (folder / POLICY).open("wb") as file:
            np.savez(file, **arrays)
        setup = {"kind": "network", "features": self.features.as_json()}
        (folder / SETUP).write_text(json.dumps(setup, indent=1))

    @classmethod
    def load(cls, folder: Path, space: spaces.Space[Any]) -> Self:
        """Read what ``save`` wrote."""
        setup = json.loads((folder / SETUP).read_text())
        policy = cls(Features.from_json(setup["features"]), ActionCoding(space))
        with np.load(folder / POLICY, allow_pickle=False) as arrays:
            state = {name: torch.as_tensor(arrays[name]) for name in arrays.files}
        policy.network.load_state_dict(state)
        return policy

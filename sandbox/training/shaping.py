"""Potential-based shaping: what a state is worth, earned on the way there.

A learner is paid discount * potential(next) - potential(now) beside each reward. Over an episode
that adds up to minus the potential of its beginning, whatever is done, so that the best policy
stays the best (Ng, Harada and Russell, 1999).
"""

from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from sandbox.training.features import Scaling
from sandbox.training.ways import Ways

WIDTH = 64
GRADIENT_STEPS = 3000
BATCH = 256
LEARNING_RATE = 3e-3


class Potential:
    """A small network from scaled observations to the values that were found for them."""

    def __init__(self, scaling: Scaling, discount: float, center: float, spread: float) -> None:
        self.scaling, self.discount = scaling, discount
        self.center, self.spread = center, spread
        self.network = torch.nn.Sequential(
            torch.nn.Linear(len(scaling.center), WIDTH), torch.nn.Tanh(),
            torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(),
            torch.nn.Linear(WIDTH, 1),
        )  # fmt: skip

    @classmethod
    def fitted(cls, ways: Ways, scaling: Scaling, discount: float, seed: int) -> Self:
        """The potential that is closest to ``ways.values``."""
        torch.manual_seed(seed)
        random = np.random.default_rng(seed)
        center, spread = float(ways.values.mean()), float(ways.values.std()) or 1.0
        potential = cls(scaling, discount, center, spread)
        inputs = torch.as_tensor(scaling(ways.seen))
        targets = torch.as_tensor(((ways.values - center) / spread).astype(np.float32))
        optimizer = torch.optim.Adam(potential.network.parameters(), LEARNING_RATE, fused=True)
        for k in range(GRADIENT_STEPS):
            optimizer.param_groups[0]["lr"] = LEARNING_RATE * max(1 - k / GRADIENT_STEPS, 0.05)
            rows = torch.as_tensor(random.integers(len(inputs), size=BATCH))
            loss = torch.nn.functional.mse_loss(
                potential.network(inputs[rows])[:, 0], targets[rows]
            )
            optimizer.zero_grad(set_to_none=True)
            torch.autograd.backward(loss)
            optimizer.step()
        return potential

    def __call__(self, observations: NDArray[Any]) -> NDArray[np.float64]:
        """Potentials (n,) of observations (n, d)."""
        with torch.no_grad():
            found = self.network(torch.as_tensor(self.scaling(observations)))[:, 0]
        potentials: NDArray[np.float64] = found.numpy().astype(np.float64)
        return self.center + self.spread * potentials

    def bonus(
        self,
        before: NDArray[np.float64],
        after: NDArray[np.float64],
        terminated: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """What is paid for steps (n,) between states of these potentials; 0 is that of an end."""
        return self.discount * np.where(terminated, 0.0, after) - before

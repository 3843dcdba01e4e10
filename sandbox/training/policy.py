"""Policies as they are asked and kept: policy.zip and policy_setup.json in a folder."""

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.actions import ActionCoding
from sandbox.training.features import Features
from sandbox.training.possible import PossibleActions

SETUP = "policy_setup.json"
POLICY = "policy.zip"
WEIGHTS = "policy.pth"
"""Name of the weights in a Stable-Baselines3 file."""
MASKABLE = "MaskablePPO"
"""The one learner that is told apart from what it sees which options are possible."""


class Policy(Protocol):
    """Something that decides for several episodes at once."""

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """The environment's actions (n, ...) for observations (n, d) of n episodes, in which
        ``time_steps`` (n,) decisions were taken before."""


class LearnedPolicy:
    """A Stable-Baselines3 model that sees ``features`` and answers in ``coding``."""

    def __init__(
        self, model: Any, features: Features, coding: ActionCoding, *, deterministic: bool = True
    ) -> None:
        self.model = model
        self.features = features
        self.coding = coding
        self.deterministic = deterministic

    def actions(self, observations: NDArray[Any], time_steps: NDArray[np.int64]) -> NDArray[Any]:
        """The most likely action of each episode, or one drawn where that does better."""
        seen = self.features(observations, time_steps)
        masks = {}
        if self.features.options and type(self.model).__name__ == MASKABLE:
            masks = {"action_masks": seen[:, -self.features.options :] > 0}
        chosen, _ = self.model.predict(seen, deterministic=self.deterministic, **masks)
        return self.coding.to_own(chosen)

    def save(self, folder: Path, algorithm: str) -> None:
        """Write both files."""
        self.model.save(folder / POLICY)
        setup = {
            "kind": "stable_baselines3",
            "algorithm": algorithm,
            "deterministic": self.deterministic,
            "features": self.features.as_json(),
        }
        (folder / SETUP).write_text(json.dumps(setup, indent=1))
        if self.features.possible is not None:
            self.features.possible.save(folder)


def load_policy(folder: Path, space: spaces.Space[Any]) -> Policy:
    """The policy kept in ``folder`` for an environment with this action space.

    Only to be called inside the sandbox: a Stable-Baselines3 file holds a pickle.

    Raises:
        ValueError: the setup names a kind of policy that does not exist.
        OSError: a file is missing.
    """
    setup = json.loads((folder / SETUP).read_text())
    kind = setup["kind"]
    if kind == "stable_baselines3":
        model = _learner(setup["algorithm"]).load(folder / POLICY, device="cpu")
        coding, masked = ActionCoding(space), setup["features"]["possible"]
        possible = PossibleActions.of(folder, coding) if masked else None
        features = Features.from_json(setup["features"], possible)
        return LearnedPolicy(model, features, coding, deterministic=setup["deterministic"])
    if kind == "network":
        from sandbox.training.network import NetworkPolicy

        return NetworkPolicy.load(folder, space)
    if kind == "factored":
        from sandbox.training.factored_policy import FactoredPolicy

        return FactoredPolicy.load(folder, space)
    if kind == "additive":
        from sandbox.training.additive import AdditivePolicy

        return AdditivePolicy.load(folder, space)
    if kind == "table":
        from sandbox.training.table_policy import TablePolicy

        return TablePolicy.load(folder)
    raise ValueError(f"{SETUP} names the unknown kind of policy {kind!r}")


def _learner(name: str) -> Any:
    """The class of this name, of Stable-Baselines3 or of what was contributed to it.

    Raises:
        ValueError: neither has it.
    """
    import sb3_contrib
    import stable_baselines3

    for library in (stable_baselines3, sb3_contrib):
        if hasattr(library, name):
            return getattr(library, name)
    raise ValueError(f"{SETUP} names the unknown algorithm {name!r}")


def content_sha256(folder: Path) -> str:
    """SHA-256 of the numbers that make up the policy in ``folder``.

    The file itself also holds the time at which it was written.

    Raises:
        OSError: there is no policy.
    """
    with zipfile.ZipFile(folder / POLICY) as archive:
        names = archive.namelist()
        if WEIGHTS in names:
            import torch  # which a policy without weights does not need, and takes seconds

            weights = torch.load(io.BytesIO(archive.read(WEIGHTS)), "cpu", weights_only=True)
            arrays = {name: value.numpy() for name, value in weights.items()}
        else:
            arrays = {name: np.load(io.BytesIO(archive.read(name))) for name in names}
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()

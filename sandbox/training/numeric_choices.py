"""The numbers of a learner that suit most problems, and how far each may be changed."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Numbers:
    """Numeric choices of one learner.

    Attributes:
        learning_rate: at the beginning.
        width: of both hidden layers.
        exploration: share of the steps over which random actions become few (DQN, QR-DQN), weight
            of the entropy (PPO), or size of the noise (SAC, TD3).
    """

    learning_rate: float
    width: int
    exploration: float


USUAL = {
    "dqn": Numbers(1e-3, 128, 0.2),
    "qr-dqn": Numbers(1e-3, 128, 0.2),
    "ppo": Numbers(1e-3, 64, 0.0),
    "maskable-ppo": Numbers(1e-3, 64, 0.0),
    "sac": Numbers(1e-3, 128, 0.5),
    "td3": Numbers(1e-3, 128, 0.5),
}


def numbers_of(method: str, settings: Mapping[str, float]) -> Numbers:
    """The usual numbers of ``method``, those in ``settings`` put in their place.

    Raises:
        ValueError: there is no such method among the learners, or no such number.
    """
    if method not in USUAL:
        raise ValueError(f"there is no algorithm {method!r}")
    chosen = {**vars(USUAL[method]), **settings}
    unknown = set(chosen) - set(vars(USUAL[method]))
    if unknown:
        raise ValueError(f"{method} has no number {min(unknown)!r}")
    return Numbers(chosen["learning_rate"], int(chosen["width"]), chosen["exploration"])

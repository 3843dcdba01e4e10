"""Networks of values in which options that are not possible have none."""

from typing import Any

import torch
from sb3_contrib.qrdqn.policies import QRDQNPolicy, QuantileNetwork
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork

NEVER = -1e9


def _masked(values: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """Values (n, ..., options), of which the last features say whether each option is possible."""
    impossible = features[:, -values.shape[-1] :] <= 0
    if values.dim() > impossible.dim():
        impossible = impossible[:, None].expand_as(values)
    return values.masked_fill(impossible, NEVER)


class _MaskedQNetwork(QNetwork):
    def forward(self, obs: Any) -> torch.Tensor:
        return _masked(super().forward(obs), obs)


class _MaskedQuantileNetwork(QuantileNetwork):
    def forward(self, obs: Any) -> torch.Tensor:
        return _masked(super().forward(obs), obs)


class MaskedDQNPolicy(DQNPolicy):
    """That of DQN."""

    def make_q_net(self) -> Any:
        """The network or its slow copy."""
        fitted = self._update_features_extractor(self.net_args, features_extractor=None)
        return _MaskedQNetwork(**fitted).to(self.device)


class MaskedQRDQNPolicy(QRDQNPolicy):
    """That of QR-DQN."""

    def make_quantile_net(self) -> Any:
        """The network or its slow copy."""
        fitted = self._update_features_extractor(self.net_args, features_extractor=None)
        return _MaskedQuantileNetwork(**fitted).to(self.device)


MASKED_POLICIES = {"dqn": MaskedDQNPolicy, "qr-dqn": MaskedQRDQNPolicy}

"""A network as a policy: it learns its examples, and a sampled one draws as likely as it scores."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray

from sandbox.training.actions import ActionCoding
from sandbox.training.additive import Components
from sandbox.training.features import Features, Scaling
from sandbox.training.network import NetworkPolicy

SEEN = np.eye(3, dtype=np.float32)
NOW = np.zeros(3, dtype=np.int64)


def taught(space: spaces.Space[Any], answers: NDArray[Any], **named: Any) -> NetworkPolicy:
    """A network that has learned these three answers for the three rows of ``SEEN``."""
    torch.manual_seed(0)
    policy = NetworkPolicy(Features(Scaling.off(3)), ActionCoding(space), **named)
    optimizer = torch.optim.Adam(policy.network.parameters(), 1e-2)
    for _ in range(100):
        loss = policy.loss(torch.as_tensor(SEEN), torch.as_tensor(answers))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.01
    return policy


def test_single_choices_are_learned() -> None:
    policy = taught(spaces.Discrete(4, start=10), np.array([3, 0, 2]))
    assert policy.actions(SEEN, NOW).tolist() == [13, 10, 12]


def test_several_choices_are_learned() -> None:
    answers = np.array([[8, 0, 1], [0, 8, 0], [4, 4, 1]])
    policy = taught(spaces.MultiDiscrete([9, 9, 2]), answers)
    assert policy.actions(SEEN, NOW).tolist() == answers.tolist()


def test_components_with_different_numbers_of_options_are_learned() -> None:
    answers = np.array([[8, 0, 1], [0, 8, 0], [4, 4, 1]])
    components = Components(np.array([[0, 1, 2]] * 3), np.array([9, 9, 2]))
    policy = taught(spaces.MultiDiscrete([9, 9, 2]), answers, components=components)
    assert policy.actions(SEEN, NOW).tolist() == answers.tolist()


def test_real_numbers_are_learned_in_their_own_units() -> None:
    policy = taught(spaces.Box(0, 100, (2,)), np.array([[-1.0, 1], [0, 0], [0.5, -0.5]]))
    expected = np.array([[0, 100], [50, 50], [75, 25]])
    np.testing.assert_allclose(policy.actions(SEEN, NOW), expected, atol=6)


def test_a_sampled_policy_draws_as_likely_as_it_scores() -> None:
    policy = NetworkPolicy(Features(Scaling.off(3)), ActionCoding(spaces.Discrete(3)))
    last = list(policy.network.parameters())[-2:]
    with torch.no_grad():
        last[0].zero_()
        last[1].copy_(torch.log(torch.tensor([0.7, 0.2, 0.1])))
    seen = np.zeros((5000, 3), dtype=np.float32)
    times = np.zeros(5000, dtype=np.int64)
    assert set(policy.actions(seen, times)) == {0}
    shares = np.bincount(policy.as_sampled().actions(seen, times), minlength=3) / 5000
    np.testing.assert_allclose(shares, [0.7, 0.2, 0.1], atol=0.03)


def test_options_that_a_component_does_not_have_are_never_drawn() -> None:
    components = Components(np.array([[0], [1]]), np.array([2, 70]))
    coding = ActionCoding(spaces.MultiDiscrete([2, 70]))
    policy = NetworkPolicy(Features(Scaling.off(3)), coding, components).as_sampled()
    drawn = policy.actions(np.zeros((500, 3), np.float32), np.zeros(500, np.int64))
    assert set(drawn[:, 0]) == {0, 1}
    assert drawn[:, 1].max() > 1


def test_numbers_of_a_box_are_not_drawn() -> None:
    policy = NetworkPolicy(Features(Scaling.off(3)), ActionCoding(spaces.Box(0, 1, (2,))))
    assert policy.as_sampled() is policy

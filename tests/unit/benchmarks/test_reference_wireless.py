import math

import numpy as np
import pytest

from benchmarks.play import episode_returns, random_policy
from benchmarks.reference import wireless


def test_rate_by_hand() -> None:
    # 200 mW at -90 dB are 2e-7 mW; the noise of 10 MHz at -174 dBm/Hz is 10^-10.4 mW.
    expected = 10 * math.log2(1 + 2e-7 / 10**-10.4)
    assert wireless.rate(-90.0) == pytest.approx(expected)
    assert pytest.approx([-89.46, -100.0, -106.16, -110.54], abs=0.01) == wireless.MEAN_GAINS


def test_reward_is_the_rate_of_the_gain_that_was_seen() -> None:
    environment = wireless.Wireless()
    seen, _ = environment.reset(seed=1)
    for user in range(4):
        expected = wireless.rate(seen[user])
        seen, reward, terminated, truncated, _ = environment.step(user)
        assert reward == pytest.approx(expected, rel=1e-5)
        assert not terminated
        assert not truncated


def test_episode_has_100_slots() -> None:
    environment = wireless.Wireless()
    environment.reset(seed=1)
    ends = [environment.step(0)[3] for _ in range(100)]
    assert ends == [False] * 99 + [True]


def test_greedy_takes_the_best_rate_of_all_users() -> None:
    environment = wireless.Wireless()
    seen, _ = environment.reset(seed=2)
    for _ in range(100):
        best = max(wireless.rate(gain) for gain in environment.gains)
        seen, reward, *_ = environment.step(wireless.greedy(seen, 0))
        assert reward == pytest.approx(best)


def test_means_in_closed_form_agree_with_simulation() -> None:
    environment = wireless.Wireless()
    for policy, mean in [
        (wireless.greedy, wireless.best_return()),
        (random_policy(environment), wireless.random_return()),
    ]:
        returns = episode_returns(environment, policy, range(150))
        error = returns.std() / np.sqrt(len(returns))
        assert abs(returns.mean() - mean) < 4 * error

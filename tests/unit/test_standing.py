"""The report says how far a policy is from the best, or why nobody knows."""

from typing import Any

from nodes.standing import standing
from state.training import Evaluation, ReturnEstimate, TrainingRecord


def estimate(policy: str, mean: float) -> ReturnEstimate:
    return ReturnEstimate(
        policy=policy, mean=mean, low=mean - 1, high=mean + 1, episodes=100, mean_length=10
    )


def told(trained: float, greedy: float, **record: Any) -> str:
    evaluation = Evaluation(
        trained=estimate("trained", trained),
        baselines=[estimate("random", 0.0), estimate("greedy", greedy)],
    )
    training = TrainingRecord(
        method="exact", timesteps=1, seconds=1, stopped_because="exact", best_evaluation=1, **record
    )
    return " ".join(standing(evaluation, training))


def test_the_gap_to_the_best_policy_is_told() -> None:
    text = told(95.0, 90.0, optimum=100.0)
    assert "better than one-step greedy decisions, beyond both intervals" in text
    assert "gives 100 for the best policy" in text
    assert "the gap is 5, 5.00% of the way" in text
    assert "within its interval" in told(99.5, 90.0, optimum=100.0)


def test_where_there_is_no_best_value_the_reason_stands() -> None:
    text = told(95.0, 95.5, no_optimum="there are more than 50,000 states times actions.")
    assert "too close to be told apart" in text
    assert "is not known: there are more than 50,000 states times actions." in text
    assert "worse than one-step greedy" in told(90.0, 95.0)
    assert "is not known: value iteration was not tried." in told(90.0, 95.0)

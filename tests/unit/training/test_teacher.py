"""A rule as a teacher."""

import numpy as np

from sandbox.training.teacher import RuleTeacher


def test_a_rule_sees_one_observation_at_a_time() -> None:
    rule = RuleTeacher(lambda seen: [int(seen[0]), 2])
    seen = np.array([[1.0], [4]], dtype=np.float32)
    assert rule.actions(seen, np.zeros(2, dtype=np.int64)).tolist() == [[1, 2], [4, 2]]

"""A controller that keeps the pole up for all 500 pushes; Gymnasium's CartPole-v1."""

from typing import Any

BEST_RETURN = 500.0
"""No episode can be longer, see ``tasks/cart-pole/description.md``."""


def balance(observation: Any, time_step: int) -> int:
    """Push to where the pole falls, leaning a little towards the middle of the track."""
    position, speed, angle, angular_speed = (float(number) for number in observation)
    return int(angle + 0.3 * angular_speed + 0.02 * position + 0.06 * speed > 0)

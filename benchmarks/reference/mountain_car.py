"""The shortest ways out of the valley; Gymnasium's MountainCar-v0, whose steps hold no chance.

Value iteration over a grid of positions and speeds, values between its points interpolated. The
policy looks one step ahead into these values; what it needs in the real environment is a bound of
the optimum that can be reached. ``python -m benchmarks.reference.mountain_car`` measures it.
"""

from functools import cache
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from benchmarks.play import episode_returns

Numbers = NDArray[np.float64]

LEFT_END, RIGHT_END, FLAG = -1.2, 0.6, 0.5
TOP_SPEED = 0.07
FORCE, GRAVITY = 0.001, 0.0025
POSITIONS, SPEEDS = 301, 281
LONGEST = 200


def moved(position: Any, speed: Any, action: Any) -> tuple[Any, Any]:
    """Position and speed after a step of the environment, element by element."""
    speed = speed + (action - 1) * FORCE - np.cos(3 * position) * GRAVITY
    speed = np.clip(speed, -TOP_SPEED, TOP_SPEED)
    position = np.clip(position + speed, LEFT_END, RIGHT_END)
    speed = np.where((position <= LEFT_END) & (speed < 0), 0.0, speed)
    return position, speed


class Interpolation:
    """Reads a table (positions, speeds) at any number of places, linearly between its points."""

    def __init__(self, position: Any, speed: Any) -> None:
        row = (np.asarray(position) - LEFT_END) / (RIGHT_END - LEFT_END) * (POSITIONS - 1)
        column = (np.asarray(speed) + TOP_SPEED) / (2 * TOP_SPEED) * (SPEEDS - 1)
        self.row = np.minimum(row.astype(int), POSITIONS - 2)
        self.column = np.minimum(column.astype(int), SPEEDS - 2)
        self.down, self.across = row - self.row, column - self.column

    def __call__(self, table: Numbers) -> Any:
        """The values at the places."""
        i, j, down, across = self.row, self.column, self.down, self.across
        upper = (1 - across) * table[i, j] + across * table[i, j + 1]
        lower = (1 - across) * table[i + 1, j] + across * table[i + 1, j + 1]
        return (1 - down) * upper + down * lower


@cache
def steps_to_flag() -> Numbers:
    """Steps that are left (positions, speeds), at most ``LONGEST``."""
    positions = np.linspace(LEFT_END, RIGHT_END, POSITIONS)[:, None, None]
    speeds = np.linspace(-TOP_SPEED, TOP_SPEED, SPEEDS)[None, :, None]
    after = moved(positions, speeds, np.arange(3)[None, None, :])
    arrived, read = after[0] >= FLAG, Interpolation(*after)
    steps = np.full((POSITIONS, SPEEDS), float(LONGEST))
    while True:
        ahead = np.where(arrived, 0.0, read(steps))
        better: Numbers = np.minimum(1 + ahead.min(axis=2), LONGEST)
        if np.max(np.abs(better - steps)) < 1e-3:
            return better
        steps = better


def best(observation: Any, time_step: int) -> int:
    """The action after which the fewest steps are left."""
    position, speed = (float(number) for number in observation)
    after = moved(position, speed, np.arange(3))
    ahead = np.where(after[0] >= FLAG, 0.0, Interpolation(*after)(steps_to_flag()))
    return int(np.argmin(ahead))


def main() -> None:
    """Print the mean return of :func:`best`."""
    returns = episode_returns(gymnasium.make("MountainCar-v0"), best, range(1000))
    print(f"mean return {returns.mean():.2f} over {len(returns)} episodes")


if __name__ == "__main__":
    main()

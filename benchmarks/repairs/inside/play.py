"""Program: some random episodes of environment.py, as a plain executor runs them."""

import importlib
import sys
import traceback
from typing import Any

EPISODES = 20


def play(environment: Any, episodes: int, seed: int) -> None:
    """Random episodes; raises whatever ``environment`` raises."""
    environment.action_space.seed(seed)
    for number in range(episodes):
        environment.reset(seed=number)
        over = False
        while not over:
            _, _, terminated, truncated, _ = environment.step(environment.action_space.sample())
            over = terminated or truncated


if __name__ == "__main__":
    try:
        play(importlib.import_module("environment").Environment(), EPISODES, seed=0)
    except Exception:
        # As without a sandbox around it, whose lines would stand above.
        traceback.print_exc()
        sys.exit(1)

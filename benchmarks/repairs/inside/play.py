"""Program: some random episodes of environment.py, as a plain executor runs them."""

import importlib
import sys
import traceback

EPISODES = 20


def main() -> None:
    """Play; raises whatever the environment raises."""
    environment = importlib.import_module("environment").Environment()
    environment.action_space.seed(0)
    for seed in range(EPISODES):
        environment.reset(seed=seed)
        over = False
        while not over:
            _, _, terminated, truncated, _ = environment.step(environment.action_space.sample())
            over = terminated or truncated


if __name__ == "__main__":
    try:
        main()
    except Exception:
        # As without a sandbox around it, whose lines would stand above.
        traceback.print_exc()
        sys.exit(1)

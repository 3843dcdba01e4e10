"""Gymnasium's and Stable-Baselines3's own checkers, their warnings counted."""

import warnings
from collections.abc import Callable

from sandbox.programs.findings import CheckFailed
from sandbox.programs.subject import Subject

# Warnings of the two standard checkers that say nothing against an environment of ours.
NOISE = (
    # The trainer rescales actions to [-1, 1] itself; decisions keep their own unit here.
    "symmetric and normalized",
    # A quantity without limits is allowed; the trainer scales what it measures.
    "minimum value is -infinity",
    "maximum value is infinity",
    # The environment is used as a class and draws no pictures.
    "not having a spec",
    "render",
)


def standard_checkers(subject: Subject) -> None:
    """Gymnasium's and Stable-Baselines3's own checkers are content; warnings count."""
    from gymnasium.utils.env_checker import check_env as check_with_gymnasium
    from stable_baselines3.common.env_checker import check_env as check_with_sb3

    checkers: list[tuple[str, Callable[[], None]]] = [
        ("gymnasium", lambda: check_with_gymnasium(subject.make(), skip_render_check=True)),
        ("stable_baselines3", lambda: check_with_sb3(subject.make(), warn=True)),
    ]
    for name, checker in checkers:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                checker()
            except AssertionError as error:
                # Gymnasium's checker takes an episode of a single step for a mistake.
                if subject.request.horizon == 1 and "truncates after 1 step" in str(error):
                    continue
                raise CheckFailed(
                    "environment", f"the checker of {name} objects", found=str(error)
                ) from error
        said = [_plain(str(w.message)) for w in caught]
        serious = [text for text in said if not any(noise in text for noise in NOISE)]
        if serious:
            raise CheckFailed(
                "environment", f"the checker of {name} warns", found="; ".join(serious)
            )


def _plain(text: str) -> str:
    return text.replace("\x1b[33m", "").replace("\x1b[0m", "").removeprefix("WARN: ")

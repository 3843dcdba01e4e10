"""What tests of training share."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sandbox.training.keep_best import KeepBest
from sandbox.training.simulator import plain_maker
from tests.unit.training.small_problems import Matching


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _all_small_numbers() -> Iterator[None]:
    """Training takes the smallest numbers for 0, in the whole process."""
    yield
    torch.set_flush_denormal(False)


@pytest.fixture(name="judge_of")
def _judge_of(tmp_path: Path) -> Iterator[Callable[..., KeepBest]]:
    """Makes judges of ten-step ``Matching`` with four episodes; chance is 1, its spread 1."""
    made: list[KeepBest] = []

    def make(
        chance: Sequence[float] = (0.0, 2.0),
        problem: type[Any] = Matching,
        *,
        seconds: float = 1e6,
        total_timesteps: int = 1000,
        **named: Any,
    ) -> KeepBest:
        judge = KeepBest(
            plain_maker(problem)(4),
            10,
            np.array(chance),
            total_timesteps=total_timesteps,
            deadline=time.monotonic() + seconds,
            folder=tmp_path,
            **named,
        )
        made.append(judge)
        return judge

    yield make
    for judge in made:
        judge.close()

"""Whole learners, written now and then, so that a killed training goes on from where it was.

With the learner its random generators are kept, so that what comes of a training that was broken
off is what would have come of it anyway.
"""

import json
import pickle
import random
import time
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import torch

CHECKPOINT = "checkpoint.pkl"
SECONDS_BETWEEN = 20.0
MOST_BYTES = 64 * 1024 * 1024
"""Two trainings side by side, and the file before while a new one is written, must find room."""


class Checkpoint:
    """The checkpoint of one training in its folder; ``settings`` say which training it is of.

    The file begins with the settings, as one line of JSON.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self.path = folder / CHECKPOINT
        self.settings = json.dumps(settings, sort_keys=True).encode() + b"\n"
        self.next_time = time.monotonic() + SECONDS_BETWEEN
        self.possible = True

    def is_there(self) -> bool:
        """Whether there is one, and of this training."""
        try:
            with self.path.open("rb") as file:
                return file.readline() == self.settings
        except FileNotFoundError:
            return False

    def due(self) -> bool:
        """Whether the last one is old enough."""
        return self.possible and time.monotonic() >= self.next_time

    def write(self, parts: dict[str, Any]) -> None:
        """Put ``parts`` in the place of the checkpoint before, in one go.

        A learner that cannot be written, or is too large, is left out with a line of output: the
        training goes on, but would begin anew.
        """
        generators = {
            "python": random.getstate(),
            "numpy": np.random.get_state(),
            "torch": torch.get_rng_state(),
        }
        try:
            content = self.settings + cloudpickle.dumps({"generators": generators, "parts": parts})
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            self._give_up(f"it cannot be written ({error})")
            return
        if len(content) > MOST_BYTES:
            self._give_up(f"it would have {len(content):,} bytes")
            return
        part = self.path.with_suffix(".part")
        part.write_bytes(content)
        part.replace(self.path)
        self.next_time = time.monotonic() + SECONDS_BETWEEN

    def read(self) -> dict[str, Any] | None:
        """The parts, with all generators as they were; None where there is none of this training.

        The file is a pickle, so only whoever runs the generated code anyway may call this: the
        training inside the sandbox, and train.py.
        """
        if not self.is_there():
            return None
        try:
            content = self.path.read_bytes()[len(self.settings) :]
            whole = pickle.loads(content)  # noqa: S301 - where generated code runs anyway
        except (pickle.UnpicklingError, EOFError, AttributeError, ImportError) as error:
            print(f"{self.path.parent.name}: begun anew, for {CHECKPOINT}: {error}", flush=True)
            return None
        random.setstate(whole["generators"]["python"])
        np.random.set_state(whole["generators"]["numpy"])
        torch.set_rng_state(whole["generators"]["torch"])
        parts: dict[str, Any] = whole["parts"]
        return parts

    def remove(self) -> None:
        """Of a training that has ended, none is needed."""
        for path in (self.path, self.path.with_suffix(".part")):
            path.unlink(missing_ok=True)

    def _give_up(self, why: str) -> None:
        self.possible = False
        print(f"{self.path.parent.name}: no checkpoint, for {why}", flush=True)

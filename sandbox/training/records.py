"""What is written while a policy is trained, for whoever looks on: a curve, progress, scalars."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

CURVE = "curve.csv"
PROGRESS = "progress.json"
TENSORBOARD = "tensorboard"
SECONDS_BETWEEN_LINES = 5.0


class Records:
    """The files of one training in ``folder``, each good to read at any time.

    ``curve.csv`` has a row an evaluation, ``progress.json`` holds the last one, and the folder
    ``tensorboard`` has the same and what the learner tells of itself as TensorBoard's scalars.
    """

    def __init__(self, folder: Path, seconds_before: float) -> None:
        """``seconds_before`` this training others were made; the curve's clock counts them in."""
        self.folder = folder
        self.seconds_before = seconds_before
        self.rows: list[list[float]] = []
        self.next_line = 0.0
        self._scalars: SummaryWriter | None = None
        self._file = (folder / CURVE).open("w", newline="", buffering=1)
        self._curve = csv.writer(self._file)
        self._curve.writerow(["timesteps", "mean_return", "seconds"])

    def recall(self, rows: list[list[float]]) -> None:
        """Begin with the rows of the same training before it was broken off."""
        self.rows = rows
        self._curve.writerows(rows)

    def add(self, told: dict[str, Any]) -> None:
        """Tell of an evaluation: its timesteps, mean_return, best and seconds at least."""
        timesteps, mean, seconds = told["timesteps"], told["mean_return"], told["seconds"]
        self.rows.append([timesteps, mean, round(seconds + self.seconds_before, 2)])
        self._curve.writerow(self.rows[-1])
        # Whole or not at all, for others read it meanwhile.
        part = self.folder / f"{PROGRESS}.part"
        part.write_text(json.dumps(told))
        part.replace(self.folder / PROGRESS)
        self.scalars({"evaluation/mean_return": mean, "evaluation/best": told["best"]}, timesteps)
        if seconds >= self.next_line:
            self.next_line = seconds + SECONDS_BETWEEN_LINES
            progress = f"{self.folder.name}: {timesteps:9,} steps {seconds:6.0f} s"
            print(f"{progress}  mean return {mean:.6g}, best {told['best']:.6g}", flush=True)

    def scalars(self, values: Mapping[str, Any], timesteps: int) -> None:
        """Show these numbers in TensorBoard; what is no number is left out."""
        if self._scalars is None:
            # Only here, for loading it takes some time.
            from torch.utils.tensorboard import SummaryWriter

            self._scalars = SummaryWriter(str(self.folder / TENSORBOARD))
        for name, value in values.items():
            if isinstance(value, float | int):
                self._scalars.add_scalar(name, value, timesteps)
        self._scalars.flush()  # a training may be ended from outside at any time

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        if self._scalars is not None:
            self._scalars.close()

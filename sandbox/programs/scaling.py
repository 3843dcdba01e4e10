"""Scaling observations as train.py did, from what it wrote to policy_setup.json."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class ObservationScaling:
    """The scaling of ``ObservationScaling`` in train.py, read back from its JSON.

    A number x becomes z = (x - center) / scale, or z = (log10(max(x, floor)) - center) / scale
    where ``logarithmic``; then sign(z) log(1 + |z|) where ``squashed``.
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        self.logarithmic = np.array(fields["logarithmic"], dtype=bool)
        self.squashed = np.array(fields["squashed"], dtype=bool)
        self.floor = np.array(fields["floor"], dtype=np.float64)
        self.center = np.array(fields["center"], dtype=np.float64)
        self.scale = np.array(fields["scale"], dtype=np.float64)

    def __call__(self, observations: NDArray[Any]) -> NDArray[np.float32]:
        """Scaled observations, of the same shape; the last axis runs over the numbers of one."""
        values = np.asarray(observations, dtype=np.float64)
        logarithms = np.log10(np.maximum(values, self.floor))
        values = (np.where(self.logarithmic, logarithms, values) - self.center) / self.scale
        squashed = np.sign(values) * np.log1p(np.abs(values))
        return np.where(self.squashed, squashed, values).astype(np.float32)

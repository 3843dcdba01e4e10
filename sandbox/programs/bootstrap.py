"""Percentile bootstrap of a mean (Efron, 1979)."""

import numpy as np

RESAMPLES = 4000


def mean_interval(values: list[float], seed: int = 0) -> tuple[float, float, float]:
    """Mean of ``values`` and its 95 % interval (mean, low, high)."""
    sample = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(seed)
    chosen = random.integers(len(sample), size=(RESAMPLES, len(sample)))
    low, high = np.percentile(sample[chosen].mean(axis=1), [2.5, 97.5])
    return float(sample.mean()), float(low), float(high)

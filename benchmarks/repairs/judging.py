"""Whether code bodies do what the right ones do, see the package's own words."""

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.render import render_environment
from nodes.settings import RunSettings
from sandbox import Limits, run_module
from state.artefacts import BodySource
from state.spec import Spec

LIMITS = Limits(wall_seconds=180, cpu_seconds=180)
FALSE_ALARMS = 1e-4
SUMS = 8
RELATIVE, ABSOLUTE = 1e-6, 1e-8

Returned = NDArray[np.float64]
"""What a code body returns, by situation, draw and number."""


def difference(
    spec: Spec, right: list[BodySource], other: list[BodySource], settings: RunSettings
) -> str:
    """The first code body of ``other`` that does not do what that of ``right`` does, and why.

    Empty where there is none.

    Raises:
        ValueError: the specification cannot be compiled.
        SandboxUnavailable: this machine cannot contain generated code.
    """
    program, _ = compile_spec(spec)
    if program is None:
        raise ValueError(f"{spec.title} cannot be compiled")
    whole = {
        body.name: [v.dtype != "real" for name in body.writes if (v := spec.variable(name))]
        for body in program.bodies
    }
    with TemporaryDirectory() as place:
        folder = Path(place)
        for name, bodies in (("right", right), ("environment", other)):
            source = render_environment(program, bodies)
            (folder / f"{name}.py").write_text(source, encoding="utf-8")
        (folder / "asked.json").write_text(json.dumps(whole), encoding="utf-8")
        outcome = run_module(
            "benchmarks.repairs.inside.sample",
            folder,
            LIMITS,
            unsafe_no_sandbox=settings.unsafe_no_sandbox,
        )
        if not outcome.ok:
            lines = outcome.stderr.strip().splitlines()
            return f"it cannot be asked: {lines[-1] if lines else outcome.reason}"
        returned = json.loads((folder / "returned.json").read_text(encoding="utf-8"))
    for name, told in returned.items():
        why = unlike(np.array(told["right"]), told["other"])
        if why:
            return f"{name}: {why}"
    return ""


def unlike(right: Returned, told: object) -> str:
    """How what ``told`` holds differs from ``right``, or empty."""
    try:
        other: Returned = np.array(told, dtype=float)
    except ValueError:
        return "it returns now more, now fewer numbers"
    if other.shape != right.shape:
        return f"it returns {other.shape[-1]} numbers in place of {right.shape[-1]}"
    if not np.ptp(right, axis=1).any():
        equal = np.isclose(other, right, rtol=RELATIVE, atol=ABSOLUTE)
        wrong = ~equal.all(axis=(1, 2))
        return f"other numbers in {wrong.sum()} of {wrong.size} situations" if wrong.any() else ""
    if not np.isfinite(other).all():
        return "it returns NaN or infinity"
    return _drawn_otherwise(right, other)


def _drawn_otherwise(right: Returned, other: Returned) -> str:
    scale = right.std(axis=(0, 1))
    weights = np.random.default_rng(0).normal(size=(right.shape[-1], SUMS))
    weights /= np.where(scale > 0, scale, 1.0)[:, np.newaxis]
    one = np.concatenate([right, right @ weights], axis=-1)
    two = np.concatenate([other, other @ weights], axis=-1)
    situations, draws, columns = one.shape
    level = FALSE_ALARMS / (columns * (situations + 1))
    for column in range(columns):
        what = f"number {column}" if column < right.shape[-1] else "how the numbers go together"
        left, mended = one[:, :, column], two[:, :, column]
        if _distance(left.ravel(), mended.ravel()) > _limit(situations * draws, level):
            return f"{what}: another distribution over all situations"
        for k in range(situations):
            if _distance(left[k], mended[k]) > _limit(draws, level):
                return f"{what}: another distribution in situation {k}"
    return ""


def _limit(count: int, level: float) -> float:
    """Largest distance of two samples of ``count`` that chance makes, but for ``level`` of them."""
    return math.sqrt(-math.log(level / 2) / count)


def _distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The largest difference of the two empirical distribution functions."""
    # Sums that are equal on paper differ by rounding.
    one, other = np.sort(one.round(9)), np.sort(other.round(9))
    values = np.concatenate([one, other])
    below = [np.searchsorted(x, values, side="right") / len(x) for x in (one, other)]
    return float(np.max(np.abs(below[0] - below[1])))

"""Pictures of a run as PNG bytes, drawn without any window system."""

import csv
import io
import math
from typing import TYPE_CHECKING, Any

from state.training import Evaluation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, ACCENT, PALE = "#1f2933", "#0b6e99", "#a9b8c3"
DOTS_PER_INCH = 150
MOST_POINTS = 100_000
# Dashes and gaps in points where the name of a style does not do.
LINE_STYLES: dict[str, Any] = {
    "random": ":",
    "constant": "-.",
    "planner": (0, (1, 3, 5, 3)),
    "heuristic": (0, (8, 2, 1, 2, 1, 2)),
}

CurvePoint = tuple[float, float]


def read_curve(text: str) -> list[CurvePoint]:
    """Points (timesteps, mean return) of curve.csv; what is not a pair of numbers is left out."""
    points: list[CurvePoint] = []
    for row in csv.reader(io.StringIO(text)):
        try:
            point = (float(row[0]), float(row[1]))
        except (ValueError, IndexError):
            continue
        if all(math.isfinite(number) for number in point) and len(points) < MOST_POINTS:
            points.append(point)
    return points


def learning_curve(points: list[CurvePoint], evaluation: Evaluation | None) -> bytes:
    """PNG of the mean return over training steps, with the comparisons as level lines."""
    figure, axes = _figure(7.2, 3.4)
    steps = [point[0] for point in points]
    axes.plot(steps, [point[1] for point in points], color=ACCENT, linewidth=1.6, label="training")
    for baseline in evaluation.baselines if evaluation else []:
        style = LINE_STYLES.get(baseline.policy, "--")
        axes.axhline(
            baseline.mean, color=INK, linewidth=0.9, linestyle=style, label=baseline.policy
        )
    axes.set_xlabel("training steps")
    axes.set_ylabel("mean episode return")
    figure.legend(loc="outside upper left", frameon=False, fontsize=8, ncols=5)
    return _png(figure)


def returns_chart(evaluation: Evaluation) -> bytes:
    """PNG of the mean return of each policy with its 95 % interval."""
    estimates = [evaluation.trained, *evaluation.baselines]
    figure, axes = _figure(7.2, 0.9 + 0.45 * len(estimates))
    places = list(range(len(estimates)))[::-1]
    means = [estimate.mean for estimate in estimates]
    errors = [
        [max(0.0, e.mean - e.low) for e in estimates],
        [max(0.0, e.high - e.mean) for e in estimates],
    ]
    colors = [ACCENT, *[PALE] * len(evaluation.baselines)]
    axes.barh(places, means, xerr=errors, color=colors, ecolor=INK, capsize=3, height=0.6)
    axes.set_yticks(places, [estimate.policy for estimate in estimates])
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_xlabel("mean episode return, with 95 % interval")
    return _png(figure)


def _figure(width: float, height: float) -> tuple["Figure", Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _png(figure: "Figure") -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()

"""Rendering the texts that people read: spec.md and report.html."""

import base64
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from state.parameters import Value
from state.run_state import RunState
from state.usage import Usage
from state.variables import Bound, Variable

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent.parent / "templates"
POLICY_NAMES = {
    "trained": "trained policy",
    "random": "random decisions",
    "constant": "best constant decision",
    "greedy": "one-step greedy",
    "planner": "planning without learning",
    "heuristic": "heuristic (rule of thumb)",
}


def spec_markdown(state: RunState) -> str:
    """The specification as Markdown, its equations in LaTeX fences."""
    return _templates().get_template("spec.md.j2").render(state=state)


def report_html(state: RunState, code: dict[str, str], pictures: dict[str, bytes]) -> str:
    """One page that needs no other file.

    Args:
        state: the finished run.
        code: text of the generated programs by file name.
        pictures: PNG bytes by title.
    """
    encoded = {title: base64.b64encode(png).decode() for title, png in pictures.items()}
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            state=state,
            code=code,
            pictures=encoded,
            usage=Usage.of(state.calls),
            models=models_of(state),
            seconds=sum(stage.seconds for stage in state.stages),
        )
    )


def models_of(state: RunState) -> list[str]:
    """Names of the models that answered, recorded ones marked, each once."""
    names = [
        f"{call.model} (recorded replies)" if call.recorded else call.model for call in state.calls
    ]
    return list(dict.fromkeys(names))


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "cell": cell,
        "equation": equation,
        "number": number,
        "value": value_text,
        "range": range_text,
        "policy": lambda name: POLICY_NAMES.get(name, name),
    }
    return environment


def cell(text: object) -> str:
    """Text that cannot leave its cell of a Markdown table."""
    return " ".join(str(text).replace("|", r"\|").split())


def equation(latex: str) -> str:
    """LaTeX without delimiters of its own and without blank lines, which would end a fence."""
    bare = latex.strip()
    for opening, closing in (("$$", "$$"), (r"\[", r"\]"), ("$", "$"), (r"\(", r"\)")):
        if bare.startswith(opening) and bare.endswith(closing) and len(bare) > 2 * len(opening):
            bare = bare[len(opening) : -len(closing)]
    return "\n".join(line for line in bare.splitlines() if line.strip())


def number(value: float | None) -> str:
    """A number with five digits that count, or a dash."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.5g}"


def value_text(value: Value) -> str:
    """A parameter's value, lists cut after some numbers."""
    if not isinstance(value, list):
        return number(value)
    return "[" + ", ".join(_shown(value_text(item) for item in value)) + "]"


def _shown(texts: Iterable[str], most: int = 12) -> list[str]:
    listed = list(texts)
    return listed if len(listed) <= most else [*listed[:most], f"... {len(listed)} in all"]


def range_text(variable: Variable) -> str:
    """Kind, size and limits of a variable in words."""
    size = " x ".join(str(length) for length in variable.shape)
    kind = f"{variable.dtype}, {size} of them" if size else variable.dtype
    if variable.labels:
        return f"{kind}: " + ", ".join(variable.labels)
    if variable.low is None and variable.high is None:
        return f"{kind}, no limits"
    low, high = (_limit(bound) for bound in (variable.low, variable.high))
    return f"{kind}, {low} to {high}"


def _limit(bound: Bound) -> str:
    if bound is None:
        return "no limit"
    return bound if isinstance(bound, str) else f"{bound:g}"

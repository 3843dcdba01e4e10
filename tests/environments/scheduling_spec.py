"""The scheduling problem as a specification; the folder beside it holds the same by hand."""

from typing import Any

from state.spec import Spec

PIECES: dict[str, Any] = {
    "title": "Link scheduling",
    "description": "Serve one of four links in each of 100 slots.",
    "parameters": [
        {
            "name": "mean_gain",
            "definition": "mean gain of each link",
            "value": [-89.5, -100.0, -106.2, -110.5],
            "unit": "dB",
        },
        {"name": "spread", "definition": "spread of the gain", "value": 8.0, "unit": "dB"},
        {"name": "reference", "definition": "gain at 0 dB signal to noise", "value": -100.0,
         "unit": "dB"},
    ],
    "objective": {"sense": "maximize", "statement": "Send as much as possible.", "measure": "rate"},
    "variables": [
        {"name": "user", "role": "decision", "definition": "link served", "dtype": "integer",
         "low": 0, "high": 3},
        {"name": "gain", "role": "system", "definition": "gain of each link", "dtype": "real",
         "shape": [4], "low": -130, "high": -60, "unit": "dB"},
        {"name": "rate", "role": "system", "definition": "rate of the served link",
         "dtype": "real", "low": 0, "high": 20, "unit": ""},
    ],
    "constraints": [{"name": "one_of_four", "statement": "One of the four links is served."}],
    "model": {
        "objective_latex": r"\max \sum_t r_t",
        "step_measure": "rate",
        "constraints": [
            {"name": "one_of_four", "latex": r"0 \le u_t \le 3",
             "expression": "user >= 0 and user <= 3"},
        ],
        "discount": 0.95,
        "horizon": 100,
    },
    "sar": {
        "observation": ["gain"],
        "action": ["user"],
        "reward": [{"name": "rate", "expression": "rate", "latex": "r_t"}],
    },
    "dynamics": {
        "rules": [
            {"variable": "gain", "kind": "known_before_decision",
             "expression": "clip(normal(mean_gain, spread), -130, -60)"},
            {"variable": "rate", "kind": "computed",
             "expression": "log2(1 + gain[user] / reference)"},
        ],
    },
}  # fmt: skip


def scheduling_spec() -> Spec:
    """A fresh copy of the specification."""
    return Spec.model_validate(PIECES)

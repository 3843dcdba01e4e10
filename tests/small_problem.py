"""A problem so small that a run of it takes seconds, with what a model answers to each agent."""

import json
from typing import Any

from tests.fake_chat_server import Answer, ReplyFunction
from tests.replies import agent_of, good_problem, sure_of_all

DESCRIPTION = """\
# Trays of rolls

Each hour a baker decides how many trays of rolls to bake: none, one or two. Baking a tray costs
3 euro. In each hour none, one or two trays are asked for, each of these equally likely. A tray
that is asked for and there is sold for 5 euro. What is not sold is kept on a shelf with room for
4 trays; what does not fit is thrown away. The shelf is empty at first. The baker sees the shelf
before deciding. The profit over a day of 8 hours should be as large as possible.
"""


def _named(name: str, value: float, unit: str) -> dict[str, Any]:
    return {"name": name, "value": value, "unit": unit, "definition": name.replace("_", " ")}


def _quantity(name: str, high: int | str, **more: Any) -> dict[str, Any]:
    given = {"name": name, "definition": name, "dtype": "integer", "shape": [], "low": 0}
    return {**given, "high": high, "unit": "", "sentence": 2, **more}


PARAMETERS = [
    _named("tray_cost", 3, "euro"),
    _named("tray_price", 5, "euro"),
    _named("shelf_room", 4, ""),
    _named("hours", 8, "hour"),
]

ANSWERS: dict[str, dict[str, Any]] = {
    "parameter": {"parameters": PARAMETERS, "assumed": []},
    "objective": {
        "sentence": 8,
        "sense": "maximize",
        "statement": "Earn as much as possible over the day.",
        "measure": "profit of the hour",
    },
    "variable": {
        "decisions": [_quantity("bake", 2, labels=[])],
        "system": [
            {"why": "drawn at random", **_quantity("wanted", 2)},
            {"why": "seen when deciding", **_quantity("stock", "shelf_room")},
            {"why": "needed for the result", **_quantity("sold", 2)},
        ],
    },
    "constraint": {
        "constraints": [
            {"name": "shelf_limit", "statement": "The shelf holds no more.", "sentence": 6}
        ]
    },
    "modeling": {
        "objective_latex": r"\max E[\sum_t r_t]",
        "step_measure": "tray_price * sold - tray_cost * bake",
        "constraints": [
            {"name": "shelf_limit", "latex": "s \\le 4", "expression": "stock <= shelf_room"}
        ],
        "discount": 1,
        "horizon": 8,
        "step_length": "",
    },
    "sar": {
        "observation": ["stock", "time_step"],
        "action": ["bake"],
        "reward": [
            {"name": "takings", "expression": "tray_price * sold", "latex": "p s"},
            {"name": "baking", "expression": "-tray_cost * bake", "latex": "-c b"},
        ],
        "reward_unit": "euro",
    },
    "environment": {
        "gymnasium_id": "",
        "rules": [
            {
                "variable": "wanted",
                "kind": "revealed_after_decision",
                "initial": "",
                "expression": "uniform_integer(0, 2)",
            },
            {
                "variable": "sold",
                "kind": "computed",
                "initial": "",
                "expression": "min(previous_stock + bake, wanted)",
            },
            {
                "variable": "stock",
                "kind": "updated",
                "initial": "0",
                "expression": "min(previous_stock + bake - sold, shelf_room)",
            },
        ],
        "termination": "",
        "bodies": [],
    },
    "heuristic": {
        "rule": "Keep one tray on the shelf.",
        "source": "def heuristic(seen):\n    return max(0, 1 - int(seen['stock']))",
    },
}

Given = Answer | dict[str, Any] | list[Answer | dict[str, Any]]


def replies(asked: list[str] | None = None, **instead: Given) -> ReplyFunction:
    """The answers above; ``instead`` gives those of some agents, one or several in turn.

    ``asked`` collects the names of the agents that asked, each time.
    """
    left = {agent: list(given) for agent, given in instead.items() if isinstance(given, list)}

    def reply(messages: list[dict[str, Any]], schema: dict[str, Any] | None) -> Answer:
        assert schema is not None
        agent = agent_of(schema)
        if asked is not None:
            asked.append(agent)
        given: Any = instead.get(agent, ANSWERS.get(agent))
        if agent in left:
            given = left[agent].pop(0) if len(left[agent]) > 1 else left[agent][0]
        if given is None:
            return good_problem(schema) if agent == "triage" else sure_of_all(schema)
        return json.dumps(given) if isinstance(given, dict) else given

    return reply

"""Environment agent: how an episode begins, moves on and ends (paper, section 3.2)."""

import re
from typing import Any

from langgraph.runtime import Runtime
from pydantic import Field, create_model

from nodes.agent import ask, noted
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.helpers import with_helpers
from nodes.settings import RunSettings
from state.dynamics import Dynamics, Rule
from state.run_state import RunState

ENVIRONMENT_ID = re.compile(r"\b[A-Za-z][\w/]*-v\d+\b")


def environment(state: RunState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Give every system variable its rule, or name the standard environment that is meant."""

    def check(answer: Dynamics) -> list[str]:
        if answer.gymnasium_id:
            return standard_complaints(answer.gymnasium_id, state.told)
        variables = with_helpers(state.parameters, state.variables, answer)
        spec = state.model_copy(update={"dynamics": answer, "variables": variables}).spec()
        _, problems = compile_spec(spec)
        return [f.message for f in problems.findings if f.owner == "environment"]

    system = [v for v in state.variables if v.role == "system"]
    schema = reply_schema(state.told, len(system))
    answer = ask(
        "environment", schema, state, runtime, check=check, previous=state.dynamics,
        system=system, max_output_tokens=3000,
    )  # fmt: skip
    # The schema asked for is a class of this call alone, which no checkpoint could read back.
    value = Dynamics.model_validate(answer.value.model_dump())
    notes = []
    if value.gymnasium_id and standard_complaints(value.gymnasium_id, state.told):
        notes.append(f"{value.gymnasium_id} is not what the description asks for by name")
        value = value.model_copy(update={"gymnasium_id": ""})
    return {
        "dynamics": value,
        "variables": with_helpers(state.parameters, state.variables, value),
        "calls": answer.calls,
        "notes": noted(state, "environment", *notes),
    }


def reply_schema(description: str, count: int) -> type[Dynamics]:
    """The dynamics, with at least as many rules as there are quantities that need one.

    Where the description may ask for a standard environment by name, none are needed.
    """
    if ENVIRONMENT_ID.search(description):
        return Dynamics
    rules: Any = (list[Rule], Field(min_length=count))
    return create_model("DynamicsReply", __base__=Dynamics, rules=rules)


def standard_complaints(gymnasium_id: str, description: str) -> list[str]:
    """A standard environment is taken only where the description itself asks for it by name."""
    words = description.lower()
    name = gymnasium_id.rpartition("/")[2].lower()
    if name and (name in words or name.rpartition("-v")[0] in words.split()):
        return []
    return [
        f"the description does not ask for the standard environment {gymnasium_id} by name: leave "
        "gymnasium_id empty and give the rules"
    ]

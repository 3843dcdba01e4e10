"""Short ways to write a specification by hand."""

from typing import Any, Literal

from state.dynamics import Dynamics, Rule
from state.model import MarkovModel
from state.objective import Objective
from state.parameters import Parameter
from state.sar import RewardTerm, StateActionReward
from state.spec import Spec
from state.variables import Variable


def decision(name: str, definition: str, low: float, high: float, **more: Any) -> Variable:
    """A decision, a whole number unless said otherwise."""
    fields = {"dtype": "integer", "low": low, "high": high, **more}
    return Variable(name=name, role="decision", definition=definition, **fields)


def quantity(
    name: str, definition: str, low: Any = None, high: Any = None, **more: Any
) -> Variable:
    """Anything else that changes, a whole number unless said otherwise."""
    fields = {"dtype": "integer", "low": low, "high": high, **more}
    return Variable(name=name, role="system", definition=definition, **fields)


def rule(
    variable: str,
    kind: Literal["known_before_decision", "revealed_after_decision", "computed", "updated"],
    expression: str,
    initial: str = "",
) -> Rule:
    """How a quantity gets its values."""
    return Rule(variable=variable, kind=kind, expression=expression, initial=initial)


def generated(
    title: str,
    statement: str,
    *,
    parameters: dict[str, float],
    variables: list[Variable],
    observation: list[str],
    rewards: dict[str, str],
    rules: list[Rule],
    horizon: int,
    termination: str = "",
) -> Spec:
    """A problem of its own, all of it said by rules."""
    return Spec(
        title=title,
        description=statement,
        parameters=[
            Parameter(name=name, definition=name.replace("_", " "), value=value)
            for name, value in parameters.items()
        ],
        objective=Objective(sense="maximize", statement=statement, measure="reward"),
        variables=variables,
        constraints=[],
        model=MarkovModel(
            objective_latex=r"\max_\pi E[\sum_t r_t]",
            step_measure=" + ".join(f"({expression})" for expression in rewards.values()),
            constraints=[],
            discount=1.0,
            horizon=horizon,
        ),
        sar=StateActionReward(
            observation=observation,
            action=[v.name for v in variables if v.role == "decision"],
            reward=[RewardTerm(name=name, expression=text) for name, text in rewards.items()],
        ),
        dynamics=Dynamics(rules=rules, termination=termination),
    )


def standard(
    gymnasium_id: str, statement: str, *, variables: list[Variable], reward: str, horizon: int
) -> Spec:
    """A standard environment; all of ``variables`` that are not decided are observed."""
    spec = generated(
        gymnasium_id,
        statement,
        parameters={},
        variables=variables,
        observation=[v.name for v in variables if v.role == "system"],
        rewards={"reward": reward},
        rules=[],
        horizon=horizon,
    )
    return spec.model_copy(update={"dynamics": Dynamics(gymnasium_id=gymnasium_id)})

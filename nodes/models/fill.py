"""A line that is missing in code, from a model that was trained to fill such gaps."""

from langchain_core.messages import HumanMessage

from nodes.models.budget import TokenBudget
from nodes.models.chosen import Ask, ChosenModel
from nodes.models.journal import CallJournal
from nodes.models.transport import send
from state.usage import ModelCall

LONGEST_LINE = 80
"""Tokens."""


def fill_in(
    model: ChosenModel,
    before: str,
    behind: str,
    *,
    agent: str,
    budget: TokenBudget,
    journal: CallJournal,
    ordinal: int,
    temperature: float = 0.0,
) -> tuple[str, ModelCall]:
    """The line between ``before`` and ``behind``, and the call; empty if it came to no end.

    Raises:
        ValueError: ``model`` fills no gaps.
        nodes.models.errors.ModelError: it gave no answer.
    """
    if not model.wire.fills:
        raise ValueError(f"{model.name} cannot be asked for what is missing in a text")
    messages = [HumanMessage(before), HumanMessage(behind)]
    budget.before_call(model.wire.count_tokens(messages) + LONGEST_LINE)
    ask = Ask(agent, ordinal, "", {}, LONGEST_LINE, temperature, fills=True)
    reply = send(model, messages, ask, 1, journal)
    budget.spend(reply.call)
    return ("" if reply.truncated else reply.text.strip()), reply.call

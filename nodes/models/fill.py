"""What may stand in a gap in code, from a model that was trained to fill such gaps."""

from collections.abc import Sequence

from langchain_core.messages import HumanMessage

from nodes.models.budget import TokenBudget
from nodes.models.chosen import Ask, ChosenModel, Fills
from nodes.models.errors import ReplyInvalid
from nodes.models.journal import CallJournal
from nodes.models.transport import send
from state.usage import ModelCall

LONGEST_REPLY = 800
"""Tokens."""


class Gap:
    """A gap in code between ``before`` and ``behind``, and the model that is asked about it.

    Raises:
        ValueError: ``model`` fills no gaps.
    """

    def __init__(
        self,
        model: ChosenModel,
        before: str,
        behind: str,
        *,
        agent: str,
        budget: TokenBudget,
        journal: CallJournal,
    ) -> None:
        if not model.wire.fills:
            raise ValueError(f"{model.name} cannot be asked for what is missing in a text")
        self._model, self._around = model, (before, behind)
        self._agent, self._budget, self._journal = agent, budget, journal

    def lines(self, line: str, *, most: int, ordinal: int) -> tuple[list[str], ModelCall]:
        """At most ``most`` lines for the place of ``line``, the first the best; and the call.

        Raises:
            nodes.models.errors.ModelError: the model gave no answer.
        """
        reply, call = self._asked("lines", [line], most, ordinal)
        return reply[:most], call

    def odds(self, lines: Sequence[str], *, ordinal: int) -> tuple[list[float], ModelCall]:
        """For each line the logarithm of the probability that it stands there; and the call.

        Raises:
            nodes.models.errors.ModelError: the model gave no answer.
        """
        reply, call = self._asked("odds", lines, len(lines), ordinal)
        try:
            odds = [float(number) for number in reply]
        except ValueError:
            odds = []
        if len(odds) != len(lines):
            error = ReplyInvalid(self._agent, 1, ["there is not one number for each line"])
            error.calls = [call]
            raise error
        return odds, call

    def _asked(
        self, fills: Fills, lines: Sequence[str], most: int, ordinal: int
    ) -> tuple[list[str], ModelCall]:
        messages = [HumanMessage(text) for text in (*self._around, "\n".join(lines))]
        self._budget.before_call(self._model.wire.count_tokens(messages) + LONGEST_REPLY)
        ask = Ask(self._agent, ordinal, "", {}, LONGEST_REPLY, fills=fills, most=most)
        reply = send(self._model, messages, ask, 1, self._journal)
        self._budget.spend(reply.call)
        return [line for line in reply.text.split("\n") if line], reply.call

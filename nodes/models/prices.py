"""What a hosted model costs and how much it can read, from the dated list in ``prices.json``."""

import json
import re
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

PRICES = Path(__file__).with_name("prices.json")

_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class Price(BaseModel):
    """US dollars per million tokens, and the context length in tokens where it is known."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float
    output: float
    context_tokens: int | None = None

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the US dollars that one call cost."""
        return (self.input * prompt_tokens + self.output * completion_tokens) / 1_000_000


FREE = Price(input=0.0, output=0.0)
"""For what runs on the user's own machine or is replayed."""


@cache
def _price_list() -> dict[str, Price]:
    models = json.loads(PRICES.read_text(encoding="utf-8"))["models"]
    return {name: Price.model_validate(entry) for name, entry in models.items()}


def price_of(model: str) -> Price | None:
    """Return the price of a hosted model (a dated snapshot costs what its model does), or None."""
    prices = _price_list()
    return prices.get(model) or prices.get(_SNAPSHOT.sub("", model))

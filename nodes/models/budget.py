"""The cap on what a run may spend on model calls, in tokens."""

from nodes.models.errors import BudgetExhausted
from state.usage import ModelCall


class TokenBudget:
    """Counts prompt and completion tokens against a cap.

    ``cap`` None means no cap. ``used`` is what the run has already spent, for a resumed run.
    Replayed calls cost nothing and are not counted.
    """

    def __init__(self, cap: int | None, used: int = 0) -> None:
        self.cap = cap
        self.used = used

    def before_call(self, estimate: int) -> None:
        """Raise ``BudgetExhausted`` if a prompt of ``estimate`` tokens would pass the cap."""
        if self.cap is not None and self.used + estimate > self.cap:
            raise BudgetExhausted(self.used, self.cap, estimate)

    def output_room(self, estimate: int, wanted: int) -> int:
        """Return how many of ``wanted`` output tokens the cap leaves after the prompt, min 1."""
        if self.cap is None:
            return wanted
        return max(1, min(wanted, self.cap - self.used - estimate))

    def spend(self, call: ModelCall) -> None:
        """Count an answered call."""
        if not call.recorded:
            self.used += call.prompt_tokens + call.completion_tokens

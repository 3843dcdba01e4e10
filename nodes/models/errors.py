"""What can go wrong between an agent and its model: one class for each thing a user can do."""

from nodes.models.redact import redact
from state.usage import ModelCall


class ModelError(Exception):
    """A model call that brought no usable answer.

    ``str()`` is one sentence that says what is wrong and what to do. ``calls`` holds the calls
    that were answered (and paid for) before the failure, so that the accounts stay right, and
    ``ordinal`` how many answers the agent had in the run before them.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(redact(sentence))
        self.calls: list[ModelCall] = []
        self.ordinal = 0


class ModelUnavailable(ModelError):
    """No model to ask: no key, a refused key, no server, no such model, no weights."""


class ModelFailed(ModelError):
    """The provider was there and kept failing, or answered with something else than a reply."""


class ModelRefused(ModelError):
    """The model, or its provider's filter, declined to answer."""


class ReplyInvalid(ModelError):
    """No valid reply within the allowed repairs.

    ``complaints`` are those about the last reply, one sentence each.
    """

    def __init__(self, agent: str, attempts: int, complaints: list[str]) -> None:
        first = complaints[0].rstrip(".") if complaints else "no complaint was kept"
        super().__init__(
            f"The model gave the {agent} agent no valid answer in {attempts} attempts "
            f"(last: {first}): try again with another seed or a stronger model."
        )
        self.complaints = list(complaints)


class ContextTooLong(ModelError):
    """The prompt does not fit the model's context; lengths in tokens, None where unknown."""

    def __init__(self, needed: int | None, limit: int | None) -> None:
        long = f"about {needed} tokens" if needed is not None else "more"
        room = f"{limit} tokens" if limit is not None else "fewer tokens"
        super().__init__(
            f"The prompt takes {long} and the model's context holds {room}: "
            "shorten the description or choose a model with a longer context."
        )
        self.needed = needed
        self.limit = limit


class BudgetExhausted(ModelError):
    """The run's token cap is reached; ``used`` and ``cap`` in tokens."""

    def __init__(self, used: int, cap: int, needed: int = 0) -> None:
        super().__init__(
            f"The run has used {used} of its {cap} tokens and the next call needs about "
            f"{needed} more: resume it with a larger --max-tokens."
        )
        self.used = used
        self.cap = cap


class RecordingMissing(ModelError):
    """A replay was asked for something that was never recorded."""

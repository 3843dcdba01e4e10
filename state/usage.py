"""What a run spent on model calls."""

from pydantic import BaseModel, ConfigDict, Field


class ModelCall(BaseModel):
    """One answered request to a chat model.

    The prompt and the reply themselves are kept in ``llm_calls.jsonl`` of the run folder;
    the state carries only what the accounts need.
    """

    model_config = ConfigDict(extra="forbid")

    agent: str = Field(description="agent that asked, e.g. 'parameter'")
    model: str = Field(description="model name as the provider knows it, e.g. 'openai:gpt-4o'")
    attempt: int = Field(default=1, ge=1, description="1 for the first answer, more for repairs")
    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0)
    cost: float | None = Field(default=0.0, description="US dollars; None where no price is known")
    recorded: bool = Field(default=False, description="the reply was replayed from a recording")
    from_journal: bool = Field(
        default=False,
        description="the reply had come before an interruption and was not asked for again",
    )


class Usage(BaseModel):
    """Sums over the model calls of a run."""

    model_config = ConfigDict(extra="forbid")

    calls: int = 0
    from_journal: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = Field(default=0.0, description="US dollars; None if any price is unknown")

    @classmethod
    def of(cls, calls: list[ModelCall]) -> "Usage":
        """Add up ``calls``."""
        costs = [call.cost for call in calls]
        known = [cost for cost in costs if cost is not None]
        return cls(
            calls=len(calls),
            from_journal=sum(call.from_journal for call in calls),
            prompt_tokens=sum(call.prompt_tokens for call in calls),
            completion_tokens=sum(call.completion_tokens for call in calls),
            seconds=sum(call.seconds for call in calls),
            cost=sum(known) if len(known) == len(costs) else None,
        )

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

"""Token counts before a call, when only the provider knows the real ones."""

import math
from collections.abc import Sequence

from langchain_core.messages import BaseMessage

BYTES_PER_TOKEN = 3.5
"""UTF-8 bytes a token, rough: English prose has about 4, code and JSON about 3, and scripts of
several bytes a character about one character a token. It errs on the long side."""

TOKENS_PER_MESSAGE = 4
"""What a chat template adds around one message."""


def estimate_tokens(text: str) -> int:
    """Return a rough count of the tokens in ``text``."""
    return math.ceil(len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN)


def estimate_prompt(messages: Sequence[BaseMessage]) -> int:
    """Return a rough count of the tokens in a whole prompt."""
    return sum(estimate_tokens(str(message.text)) + TOKENS_PER_MESSAGE for message in messages)

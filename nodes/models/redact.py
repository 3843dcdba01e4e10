"""Keep secrets out of what is shown and stored."""

import os
import re

SECRET_VARIABLES = ("OPENAI_API_KEY", "OLLAMA_API_KEY")
"""Environment variables whose values must never be printed or written."""

_KEY_SHAPE = re.compile(r"\bsk-[A-Za-z0-9_*.-]{4,}")
_URL_USER = re.compile(r"(?<=://)[^/@\s]+@")


def redact(text: str) -> str:
    """Return ``text`` without API keys and without user names and passwords in URLs."""
    for variable in SECRET_VARIABLES:
        value = os.environ.get(variable, "").strip()
        if len(value) >= 4:
            text = text.replace(value, "***")
    return _URL_USER.sub("***@", _KEY_SHAPE.sub("sk-***", text))


def one_line(text: str, limit: int = 200) -> str:
    """Return ``text`` on one line, redacted, at most ``limit`` characters long."""
    flat = " ".join(redact(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"

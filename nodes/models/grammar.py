"""A JSON schema as a llama.cpp grammar, which constrains a local model while it decodes."""

import importlib
import json
from typing import Any

from nodes.models.errors import ModelFailed
from nodes.models.schemas import Schema, without

LONGEST_COUNTED = 32
"""A larger bound on items or characters is dropped: the grammar spells each repetition out, and
decoding slows down with it. The bound is still checked on the finished reply."""


def grammar_for(schema: Schema, name: str) -> str:
    """Return the grammar (GBNF) whose sentences are the objects of ``schema``.

    Patterns that the converter does not know are left out of it; they too are checked on the
    finished reply. Raises ``ModelFailed`` for a schema that no grammar can be made of.
    """
    convert: Any = importlib.import_module("llama_cpp.llama_grammar").json_schema_to_gbnf
    bounded = _without_large_counts(schema)
    complaint = ""
    for attempt in (bounded, without(bounded, frozenset({"pattern", "format"}))):
        try:
            grammar: str = convert(json.dumps(attempt))
        except (AssertionError, ValueError, LookupError, RecursionError, TypeError) as error:
            complaint = str(error)
        else:
            return grammar
    raise ModelFailed(
        f"The local model cannot be held to the answer form {name} ({complaint}): "
        "choose another model."
    )


def _without_large_counts(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_large_counts(child) for child in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _without_large_counts(value)
        for key, value in node.items()
        if not (
            key in ("minItems", "maxItems", "minLength", "maxLength")
            and isinstance(value, int)
            and value > LONGEST_COUNTED
        )
    }

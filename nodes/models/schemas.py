"""JSON schemas as model providers can enforce them."""

from typing import Any

from pydantic import BaseModel

_ANNOTATIONS = frozenset({"title", "default", "examples", "discriminator", "deprecated"})
_CHILD_MAPS = frozenset({"properties", "$defs"})
_CHILD_LISTS = frozenset({"anyOf", "allOf", "prefixItems"})
_DEFINITION = "#/$defs/"

Schema = dict[str, Any]


def closed_schema(model: type[BaseModel]) -> Schema:
    """Return the model's JSON schema with every property required and none beyond those allowed.

    Titles and defaults are dropped (a default would let the model leave a field out),
    alternatives are written ``anyOf``, and a reference with a description beside it is replaced
    by what it refers to.
    """
    schema = model.model_json_schema()
    closed: Schema = _closed(schema, schema.get("$defs", {}), ())
    return closed


def without(schema: Schema, keywords: frozenset[str]) -> Schema:
    """Return the schema without some keywords, wherever they stand as keywords."""
    kept: Schema = {}
    for key, value in schema.items():
        if key not in keywords:
            kept[key] = _children(key, value, lambda child: without(child, keywords))
    return kept


def is_closed(schema: Schema) -> bool:
    """Whether the schema has neither open dictionaries, nor untyped values, nor tuples."""
    open_parts: list[Schema] = []

    def visit(node: Schema) -> Schema:
        typed = any(key in node for key in ("type", "$ref", "anyOf", "enum", "const"))
        is_open = node.get("type") == "object" and node.get("additionalProperties") is not False
        if not typed or is_open or "prefixItems" in node or "allOf" in node:
            open_parts.append(node)
        for key, value in node.items():
            _children(key, value, visit)
        return node

    visit(schema)
    return not open_parts


def _closed(node: Schema, definitions: Schema, inside: tuple[str, ...]) -> Schema:
    node = {"anyOf" if key == "oneOf" else key: value for key, value in node.items()}
    reference = node.get("$ref")
    if reference is not None and len(node) > 1:
        name = str(reference).removeprefix(_DEFINITION)
        if name in inside or name not in definitions:
            return {"$ref": reference}
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _closed({**definitions[name], **beside}, definitions, (*inside, name))
    closed: Schema = {}
    for key, value in node.items():
        if key not in _ANNOTATIONS:
            closed[key] = _children(key, value, lambda child: _closed(child, definitions, inside))
    if "properties" in closed:
        closed["required"] = list(closed["properties"])
        closed.setdefault("additionalProperties", False)
    elif closed.get("type") == "object" and "additionalProperties" not in closed:
        closed["properties"], closed["required"] = {}, []
        closed["additionalProperties"] = False
    return closed


def _children(key: str, value: Any, change: Any) -> Any:
    """Apply ``change`` to each schema that stands under ``key``."""
    if key in _CHILD_MAPS and isinstance(value, dict):
        return {name: change(child) for name, child in value.items()}
    if key in _CHILD_LISTS and isinstance(value, list):
        return [change(child) for child in value]
    if key in ("items", "additionalProperties") and isinstance(value, dict):
        return change(value)
    return value

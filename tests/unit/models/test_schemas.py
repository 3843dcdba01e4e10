"""JSON schemas as providers can enforce them."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from nodes.models.schemas import closed_schema, is_closed, without


class Leaf(BaseModel):
    """A leaf."""

    title: str = Field(default="x", min_length=1, description="its title")
    kind: Literal["a", "b"] = "a"


class Tree(BaseModel):
    leaf: Leaf = Field(description="the first leaf")
    leaves: list[Leaf] = []
    child: "Tree | None" = None
    either: int | str = 0


class OneOf(BaseModel):
    shape: "Circle | Square" = Field(discriminator="kind")


class Circle(BaseModel):
    kind: Literal["circle"]
    radius: float


class Square(BaseModel):
    kind: Literal["square"]
    side: float


class Open(BaseModel):
    table: dict[str, float]


class Untyped(BaseModel):
    anything: Any


class Empty(BaseModel):
    pass


def objects_in(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [found for child in node for found in objects_in(child)]
    if not isinstance(node, dict):
        return []
    here = [node] if "properties" in node and isinstance(node["properties"], dict) else []
    return here + [found for child in node.values() for found in objects_in(child)]


@pytest.mark.parametrize("model", [Leaf, Tree, OneOf])
def test_every_property_is_required_and_no_other_allowed(model: type[BaseModel]) -> None:
    schema = closed_schema(model)
    assert is_closed(schema)
    for found in objects_in(schema):
        assert found["required"] == list(found["properties"])
        assert found["additionalProperties"] is False


def test_a_property_may_be_named_like_a_keyword() -> None:
    schema = closed_schema(Leaf)
    assert schema["properties"]["title"] == {
        "description": "its title",
        "minLength": 1,
        "type": "string",
    }
    assert "title" in without(schema, frozenset({"title", "minLength"}))["properties"]
    assert "minLength" not in str(without(schema, frozenset({"minLength"})))


def test_a_reference_has_nothing_beside_it() -> None:
    schema = closed_schema(Tree)
    leaf = (schema.get("properties") or schema["$defs"]["Tree"]["properties"])["leaf"]
    assert leaf["description"] == "the first leaf"
    assert "$ref" not in leaf
    assert leaf["required"] == ["title", "kind"]


def test_alternatives_are_any_of() -> None:
    assert "oneOf" not in str(closed_schema(OneOf))
    assert "discriminator" not in str(closed_schema(OneOf))
    assert len(closed_schema(OneOf)["properties"]["shape"]["anyOf"]) == 2


@pytest.mark.parametrize("model", [Open, Untyped])
def test_an_open_part_is_noticed(model: type[BaseModel]) -> None:
    assert not is_closed(closed_schema(model))


def test_an_object_without_properties_stays_closed() -> None:
    assert closed_schema(Empty)["additionalProperties"] is False

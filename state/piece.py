"""What every piece of the specification has in common."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

IDENTIFIER = re.compile(r"^[a-z][a-z0-9_]*$")
RESERVED = frozenset(
    "and or not if else in is for while lambda true false none pi inf nan time_step "
    "self action observation reward info rng np".split()
)


def check_identifier(name: str) -> str:
    """Return ``name`` if it can name a quantity: snake_case, not a word of the language."""
    if not IDENTIFIER.match(name) or len(name) > 60:
        raise ValueError(f"name {name[:60]!r} is not snake_case (lower-case letters, digits, _)")
    if name in RESERVED or name.startswith("previous_"):
        raise ValueError(f"name {name!r} is reserved; choose another")
    return name


Identifier = Annotated[str, AfterValidator(check_identifier)]


class Piece(BaseModel):
    """Base of all typed pieces: unknown keys and NaN are errors, never dropped."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Sourced(Piece):
    """A piece that says where it comes from.

    Either ``quote`` holds the exact words of the description, or ``assumed`` holds the reason
    for a value that the description does not give.
    """

    quote: str = Field(
        default="", description="the exact words of the description that say this, or empty"
    )
    assumed: str = Field(default="", description="empty if quoted; otherwise why this was assumed")

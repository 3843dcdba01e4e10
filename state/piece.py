"""What every piece of the specification has in common."""

import keyword
import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic.json_schema import SkipJsonSchema

IDENTIFIER = re.compile(r"^[a-z][a-z0-9_]*$")
RESERVED = frozenset(
    "and or not if else in is for while lambda true false none pi inf nan time_step np rng".split()
)


def check_identifier(name: str) -> str:
    """Return ``name`` if it can name a quantity: snake_case, not a word of the language.

    ``ChannelGain``, ``channelGain`` and ``Channel gain`` are taken for ``channel_gain``.
    """
    spelled = _in_snake_case(name)
    other = _beside_reserved(spelled)
    if other != spelled:
        raise ValueError(f"name {spelled!r} is reserved; choose another, such as {other}")
    return spelled


def free_identifier(name: str) -> str:
    """As :func:`check_identifier`, and another name in place of one that is reserved."""
    return check_identifier(_beside_reserved(_in_snake_case(name)))


def _in_snake_case(name: str) -> str:
    spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip()).lower()
    spelled = re.sub(r"[\s\-]+", "_", spelled).rstrip("_")
    if not IDENTIFIER.match(spelled) or len(spelled) > 60:
        raise ValueError(f"name {name[:60]!r} is not snake_case (lower-case letters, digits, _)")
    return spelled


def _beside_reserved(name: str) -> str:
    """``name``, or what it can be called where it means something else in expressions."""
    if name in RESERVED or keyword.iskeyword(name):
        return f"{name}_value"
    earlier = name.removeprefix("previous_")
    return name if earlier == name else f"earlier_{earlier}"


Identifier = Annotated[str, AfterValidator(check_identifier)]
NewIdentifier = Annotated[str, AfterValidator(free_identifier)]
"""A name to which nothing refers yet, so that it may be changed."""


class Piece(BaseModel):
    """Base of all typed pieces: unknown keys and NaN are errors, never dropped."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Sourced(Piece):
    """A piece that says where it comes from.

    Either ``quote`` holds the words of the description that say it, or ``assumed`` holds the
    reason for something that the description does not give.
    """

    quote: str = ""
    assumed: SkipJsonSchema[str] = ""

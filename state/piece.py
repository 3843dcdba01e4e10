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
    spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip()).lower()
    spelled = re.sub(r"[\s\-]+", "_", spelled).rstrip("_")
    if not IDENTIFIER.match(spelled) or len(spelled) > 60:
        raise ValueError(f"name {name[:60]!r} is not snake_case (lower-case letters, digits, _)")
    earlier = spelled.removeprefix("previous_")
    if spelled in RESERVED or keyword.iskeyword(spelled) or earlier != spelled:
        other = f"{spelled}_value" if earlier == spelled else f"earlier_{earlier}"
        raise ValueError(f"name {spelled!r} is reserved; choose another, such as {other}")
    return spelled


Identifier = Annotated[str, AfterValidator(check_identifier)]


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

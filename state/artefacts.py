"""Files of the run folder, by reference."""

from pydantic import Field

from state.piece import Piece


class Artefact(Piece):
    """A file in the run folder: its relative path and the SHA-256 of its bytes."""

    path: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class CodeArtefacts(Piece):
    """What the coding agent made.

    ``environment`` is None for a standard Gymnasium environment. ``bodies`` maps are kept as a
    list of named sources, because open dictionaries are not part of any strict schema.
    """

    environment: Artefact | None = None
    train: Artefact | None = None
    bodies: list["BodySource"] = Field(default_factory=list)


class BodySource(Piece):
    """Source text of one code body, a single function definition."""

    name: str
    source: str

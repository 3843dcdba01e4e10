"""Files of the run folder, by reference."""

from pydantic import Field

from state.piece import Piece
from state.python_source import PythonSource


class Artefact(Piece):
    """A file in the run folder: its relative path and the SHA-256 of its bytes."""

    path: str
    edited_by_person: bool = False
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class CodeArtefacts(Piece):
    """What was generated; ``environment`` is None for a standard Gymnasium environment."""

    environment: Artefact | None = None
    heuristic: Artefact | None = None
    train: Artefact | None = None


class BodySource(Piece):
    """Source text of one code body, a single function definition."""

    name: str
    source: PythonSource

"""The local model's weights in the user's cache: where they lie and whether they are whole."""

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from nodes.models.errors import ModelUnavailable

FETCH_COMMAND = "python -m graph.run --fetch-local-model"

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Weights:
    """A file of model weights; ``size`` in bytes, ``sha256`` hexadecimal."""

    name: str
    file: str
    size: int
    sha256: str


LOCAL_MODEL = Weights(
    name="qwen2.5-coder-1.5b-instruct-q4_k_m",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
)
"""Qwen2.5-Coder-1.5B-Instruct, four-bit, Apache-2.0."""


def models_folder() -> Path:
    """Return the folder for weights in the user's cache (XDG_CACHE_HOME, else ~/.cache)."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache"
    return root / "a-lamp" / "models"


def verified_weights(weights: Weights = LOCAL_MODEL, folder: Path | None = None) -> Path:
    """Return the path of the weights after checking size and SHA-256.

    A good check is remembered beside the file by its size and time of change, so that the next
    start need not read it all again. Raises ``ModelUnavailable`` if the file is missing or
    differs.
    """
    path = (folder or models_folder()) / weights.file
    if not path.is_file():
        raise ModelUnavailable(f"The local weights are not fetched: run '{FETCH_COMMAND}'.")
    if path.stat().st_size != weights.size or not _is_whole(path, weights):
        raise ModelUnavailable(
            f"The local weights at {path} are damaged: delete the file and run '{FETCH_COMMAND}'."
        )
    return path


def sha256_of_file(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file. Raises OSError if it cannot be read."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _is_whole(path: Path, weights: Weights) -> bool:
    """Whether the hash is right; an earlier check of the unchanged file is believed."""
    note = path.with_name(path.name + ".verified")
    told = path.stat()
    seal = {"sha256": weights.sha256, "size": told.st_size, "mtime_ns": told.st_mtime_ns}
    # A note that is missing, broken or not writable only means hashing the file again.
    with contextlib.suppress(OSError, ValueError):
        if json.loads(note.read_text(encoding="utf-8")) == seal:
            return True
    if sha256_of_file(path) != weights.sha256:
        return False
    with contextlib.suppress(OSError):
        note.write_text(json.dumps(seal), encoding="utf-8")
    return True

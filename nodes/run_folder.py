"""Files of the run folder: written whole or not at all, named by path and hash."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from sandbox.folder import remove_tree
from sandbox.results import read_bytes
from state.artefacts import Artefact

LARGEST_ARTEFACT = 256 * 1024 * 1024


def write_whole(path: Path, content: str | bytes) -> None:
    """Write ``content`` so that ``path`` never holds a part of it, not even after a crash.

    A link at ``path`` is replaced, never followed.
    """
    data = content.encode() if isinstance(content, str) else content
    beside = path.with_name(f".{path.name}.part")
    remove(path.parent, [beside.name])
    beside.write_bytes(data)
    if path.is_dir() and not path.is_symlink():
        remove_tree(path)
    os.replace(beside, path)


def append_line(path: Path, line: str) -> None:
    """Append ``line`` to a file of lines; after one that a killed run left cut off, on its own.

    Raises:
        OSError: it cannot be written; a link at ``path`` is not followed.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o644), "r+b", buffering=0) as file:
        length = os.fstat(file.fileno()).st_size
        cut = length > 0 and os.pread(file.fileno(), 1, length - 1) != b"\n"
        file.write(b"\n" * cut + line.encode() + b"\n")


def artefact(folder: Path, name: str) -> Artefact:
    """Reference to the file ``name`` in ``folder``; never through a link.

    Raises:
        ResultInvalid: it is missing or no plain file.
    """
    data = read_bytes(folder, name, LARGEST_ARTEFACT)
    return Artefact(path=name, sha256=hashlib.sha256(data).hexdigest())


def remove(folder: Path, names: Iterable[str]) -> None:
    """Remove what an earlier, perhaps broken-off, attempt left, or untrusted code put there."""
    for name in names:
        remove_tree(folder / name)

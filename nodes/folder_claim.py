"""Taking a folder into use for a run: its name, and making it without leaving traces on failure."""

import re
import unicodedata
from datetime import datetime
from pathlib import Path


def run_folder_name(title: str, thread_id: str, started: datetime) -> str:
    """Folder name from the title, the time and the first characters of the thread id."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = "-".join(re.findall(r"[a-z0-9]+", plain))[:40].strip("-") or "task"
    return f"{slug}-{started:%Y%m%d-%H%M%S}-{thread_id[:8]}"


def claim_run_folder(folder: Path) -> list[Path]:
    """Make ``folder`` unless it is there and empty; try that it can be written to.

    Returns:
        The folders that were made, outermost first, for a caller that must undo it.

    Raises:
        OSError: it cannot be made or written to, is no folder, or holds something. Nothing that
            was made is left behind then.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()][::-1]
    made: list[Path] = []
    try:
        for place in missing:
            place.mkdir()
            made.append(place)
        if any(folder.iterdir()):
            raise FileExistsError(f"{folder} is not empty")
        trial = folder / ".writable"
        trial.touch()
        trial.unlink()
    except OSError:
        release_run_folder(made)
        raise
    return made


def release_run_folder(made: list[Path]) -> None:
    """Remove the folders that :func:`claim_run_folder` made, as far as they are still empty."""
    for place in reversed(made):
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()

"""The built-in tasks: a folder with a description in plain words for each."""

from pathlib import Path

TASKS_FOLDER = Path(__file__).parent / "tasks"


def task_names() -> list[str]:
    """Names of the built-in tasks, sorted."""
    return sorted(place.parent.name for place in TASKS_FOLDER.glob("*/description.md"))


def task_description(name: str) -> str:
    """Description of the built-in task ``name``, as written by a practitioner.

    Raises:
        KeyError: there is no such task; the message names those that exist.
    """
    known = task_names()
    if name not in known:
        raise KeyError(f"there is no built-in task {name!r}; known are {', '.join(known)}")
    return (TASKS_FOLDER / name / "description.md").read_text(encoding="utf-8")

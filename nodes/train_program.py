"""Writing train.py and the package beside it, which train the kept policy once more."""

import re
import shutil
from pathlib import Path

from nodes.codegen.render import templates
from nodes.run_folder import remove, write_whole
from sandbox.training.problem import Problem
from sandbox.training.request import Attempt
from state.training import TrainingRecord

PROGRAM = "train.py"
PACKAGE = "training"


def write_train_program(folder: Path, title: str, problem: Problem, record: TrainingRecord) -> None:
    """Write ``train.py`` and a copy of the training package into ``folder``."""
    write_whole(folder / PROGRAM, render_train_program(title, problem, record))
    copy_training_package(folder)


def render_train_program(title: str, problem: Problem, record: TrainingRecord) -> str:
    """Text of train.py: the problem, the attempts that led to the policy, and their settings."""
    return (
        templates()
        .get_template("train.py.j2")
        .render(
            title=_inside_docstring(title),
            problem=problem,
            attempts=chain_of(record),
            algorithm=record.algorithm,
            repr=repr,
        )
    )


def chain_of(record: TrainingRecord) -> list[Attempt]:
    """The kept attempt, after those that it started from, each to end where it had ended."""
    by_name = {made.folder: made for made in record.attempts}
    chain: list[Attempt] = []
    name = record.folder
    while name and name in by_name:
        made = by_name.pop(name)
        # What ended by itself does so again, and may have learned on after its last step.
        by_itself = made.stopped_because in ("converged", "exact", "total_timesteps")
        stop_after = None if by_itself else made.timesteps
        attempt = Attempt.from_json({**made.attempt, "stop_after": stop_after})
        chain.insert(0, attempt)
        name = attempt.start_from
    return chain


def copy_training_package(folder: Path) -> None:
    """Copy the modules that train.py uses to ``folder/training``, with that name for a package."""
    remove(folder, [PACKAGE])
    package = Path(__file__).parent.parent / "sandbox" / "training"
    target = folder / PACKAGE
    shutil.copytree(package, target, ignore=shutil.ignore_patterns("__pycache__"))
    for path in target.glob("*.py"):
        path.write_text(re.sub(r"\bsandbox\.training\b", PACKAGE, path.read_text()))


def _inside_docstring(text: str) -> str:
    """``text`` such that it cannot end the docstring that it stands in."""
    return " ".join(text.replace("\\", "/").replace('"', "'").split())[:80]

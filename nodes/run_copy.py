"""Taking over from another run's folder what a state names, so that a new run can go on from it."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from nodes.coding import BATCHED, POSSIBLE
from nodes.models.journal import JOURNAL, copy_answers
from nodes.run_folder import LARGEST_ARTEFACT, artefact, write_whole
from nodes.train import BEGUN, FINGERPRINT, PRODUCTS
from nodes.train_program import PROGRAM, copy_training_package
from nodes.training_folder import ATTEMPTS
from sandbox import ResultInvalid, check_files
from sandbox.results import read_bytes
from sandbox.training.request import REQUEST
from state.artefacts import Artefact, CodeArtefacts
from state.run_state import RunState

BESIDE_ENVIRONMENT = ("spec_functions.py", BATCHED, POSSIBLE)
BESIDE_POLICY = (REQUEST, *PRODUCTS, BEGUN, FINGERPRINT, PROGRAM)


def copy_run(state: RunState, source: Path, target: Path) -> list[str]:
    """Copy what ``state`` names from the run folder ``source`` into ``target``.

    Returns:
        What is no longer there as it was: "environment", "heuristic", "policy".

    Raises:
        OSError: ``target`` cannot be written to.
    """
    code = state.code or CodeArtefacts()
    copied = {
        "environment": _copied(source, target, code.environment, BESIDE_ENVIRONMENT),
        "heuristic": _copied(source, target, code.heuristic),
    }
    if state.training is not None:
        policy = state.training.policy
        copied["policy"] = _copied(source, target, policy, BESIDE_POLICY)
        if policy is not None and copied["policy"]:
            copy_training_package(target)
            _copy_attempts(source, target)
    return [name for name, there in copied.items() if not there]


def copy_journal(state: RunState, source: Path, target: Path) -> None:
    """Copy the replies that ``state`` counts, so that none of them is asked for again.

    Raises:
        OSError: ``target`` cannot be written to.
    """
    copy_answers(source / JOURNAL, target / JOURNAL, state.asked)


def _copied(source: Path, target: Path, named: Artefact | None, beside: Iterable[str] = ()) -> bool:
    """Copy a named file and what belongs to it; False if it is not there as it was."""
    if named is None:
        return True
    try:
        if artefact(source, named.path) != named:
            return False
    except ResultInvalid:
        return False
    for name in dict.fromkeys((named.path, *beside)):
        try:
            content = read_bytes(source, name, LARGEST_ARTEFACT)
        except ResultInvalid:
            continue  # not every run has all of what lies beside it
        write_whole(target / name, content)
    return True


def _copy_attempts(source: Path, target: Path) -> None:
    """Copy the trainings that were tried; without them they are only not listed."""
    folder = source / ATTEMPTS
    if folder.is_dir() and not folder.is_symlink():
        try:
            check_files(folder)
        except ResultInvalid:
            return
        shutil.copytree(folder, target / ATTEMPTS, symlinks=True)

"""The folder in which training runs, apart from the run folder, which generated code cannot touch.

It holds copies of what training reads. What training made is moved up once it has been looked at.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from nodes.run_folder import LARGEST_ARTEFACT, write_whole
from sandbox.folder import remove_tree
from sandbox.results import ResultInvalid, check_files, read_bytes

WORK = ".training"
ATTEMPTS = "attempts"


def open_training_folder(folder: Path, inputs: Iterable[str]) -> Path:
    """The folder, with the inputs that there are and all attempts that were made before.

    Raises:
        ResultInvalid: an input is no plain file.
    """
    work = folder / WORK
    work.mkdir(exist_ok=True)
    for name in inputs:
        remove_tree(work / name)
        if (folder / name).exists():
            write_whole(work / name, read_bytes(folder, name, LARGEST_ARTEFACT))
    finished = folder / ATTEMPTS
    if finished.is_dir() and not (work / ATTEMPTS).exists():
        finished.rename(work / ATTEMPTS)
    return work


def take_up(folder: Path, products: Iterable[str]) -> None:
    """Move the products and all attempts to the run folder, and remove the training folder.

    Raises:
        ResultInvalid: there is a link or device, or a product is missing.
    """
    work = folder / WORK
    check_files(work)
    for name in products:
        write_whole(folder / name, read_bytes(work, name, LARGEST_ARTEFACT))
    if not (work / ATTEMPTS).is_dir():
        raise ResultInvalid("the program left no attempts")
    remove_tree(folder / ATTEMPTS)
    os.replace(work / ATTEMPTS, folder / ATTEMPTS)
    remove_tree(work)


def forget_training(folder: Path) -> None:
    """Remove all attempts, finished or not."""
    remove_tree(folder / WORK)
    remove_tree(folder / ATTEMPTS)

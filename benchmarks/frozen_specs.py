"""Right specifications of the built-in tasks, by which training is measured apart from modelling.

They are what the recorded answers of a large model amount to; tests compare their environments
with the simulators in ``benchmarks/reference``.
"""

from benchmarks.catalogue import TASKS_FOLDER
from state.spec import Spec


def frozen_spec(task: str) -> Spec:
    """The specification kept beside the description of a built-in task.

    Raises:
        OSError: there is no such task.
    """
    path = TASKS_FOLDER / task / "spec.json"
    return Spec.model_validate_json(path.read_text(encoding="utf-8"))

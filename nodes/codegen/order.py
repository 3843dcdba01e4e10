"""In which order the rules of a step are worked out."""

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Task:
    """Something that gives values to ``writes`` and needs the new values of ``needs`` first."""

    writes: tuple[str, ...]
    needs: frozenset[str] = field(default_factory=frozenset)


class CircularRulesError(ValueError):
    """Quantities that each need the other's new value first."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = sorted(names)
        super().__init__(
            f"{', '.join(self.names)} need each other's new value; use previous_<name> for the "
            "value at the start of the step"
        )


def in_order(tasks: list[Task]) -> list[Task]:
    """Sort ``tasks`` so that each comes after what it needs, otherwise as they are listed.

    Raises:
        CircularRulesError: there is no such order.
    """
    waiting = list(tasks)
    result: list[Task] = []
    while waiting:
        pending = {name for task in waiting for name in task.writes}
        ready = next(
            (t for t in waiting if not (t.needs & pending) - set(t.writes)),
            None,
        )
        if ready is None:
            raise CircularRulesError(pending)
        waiting.remove(ready)
        result.append(ready)
    return result

"""Keeping account of how each node of a run ended."""

import time

from state.run_state import RunState, Stage, StageStatus


class StageClock:
    """Started when a node starts; gives the stages with the node's own entry added."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.started = time.monotonic()

    def add_to(self, state: RunState, status: StageStatus, note: str = "") -> list[Stage]:
        """All stages so far and this one, which ends now."""
        seconds = round(time.monotonic() - self.started, 3)
        return [*state.stages, Stage(name=self.name, status=status, seconds=seconds, note=note)]

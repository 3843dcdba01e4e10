"""What a person sees of a run: a line for each stage, and the summary at its end."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from graph.outcome import RunOutcome
from graph.streams import say
from nodes.run_folder import append_line
from state.run_state import Stage


class Progress:
    """Writes one line for each finished node to ``stream`` and to ``events.jsonl``."""

    def __init__(self, stream: TextIO, run_folder: Path) -> None:
        self._stream = stream
        self.run_folder = run_folder

    def say(self, line: str) -> None:
        """Write ``line`` for the person who watches."""
        say(line, self._stream)

    def hear(self, said: Mapping[str, Any]) -> None:
        """Take what a node says while it works: its name and a line."""
        self.say(f"  {said['stage']:<17} {said['line']}")

    def take(self, event: Mapping[str, Any]) -> None:
        """Take one event of the graph's ``tasks`` stream: a node begins, or has ended."""
        if "result" not in event:
            if self._stream.isatty():
                print(f"  {event['name']} ...", end="\r", file=self._stream, flush=True)
        elif event["error"] is None and event["result"]:
            self._finished(event["name"], event["result"])

    def _finished(self, node: str, update: Mapping[str, Any]) -> None:
        stages: list[Stage] = update.get("stages", [])
        last = stages[-1] if stages else Stage(name=node, status="done", seconds=0)
        note = f" ({last.note})" if last.note else ""
        self.say(f"  {node:<17} {last.status:<9} {last.seconds:7.1f} s{note}")
        line = {"time": round(time.time(), 3), "node": node, **last.model_dump(exclude={"name"})}
        append_line(self.run_folder / "events.jsonl", json.dumps(line))


def summary(outcome: RunOutcome) -> str:
    """The lines that end a run on standard output, for people."""
    rows = [("status", outcome.status.replace("_", " "))]
    if outcome.environment_id:
        rows.append(("environment", outcome.environment_id))
    if outcome.mean_return is not None and outcome.return_interval is not None:
        low, high = outcome.return_interval
        rows.append(("policy", outcome.algorithm or "unknown"))
        rows.append(
            (
                "mean return",
                f"{outcome.mean_return:,.6g}, 95 % interval {low:,.6g} to {high:,.6g}, "
                f"{outcome.evaluation_episodes} episodes",
            )
        )
    comparisons = {
        "random policy": outcome.random_return,
        "greedy policy": outcome.greedy_return,
        "heuristic": outcome.heuristic_return,
    }
    for name, value in comparisons.items():
        if value is not None:
            rows.append((name, f"{value:,.6g}"))
    if outcome.model:
        recorded = " (recorded answers)" if outcome.model.recorded else ""
        rows.append(("model", f"{outcome.model.name}{recorded}: {outcome.model.reason}"))
    cost = "price unknown" if outcome.cost is None else f"${outcome.cost:.4f}"
    rows.append(("tokens", f"{outcome.tokens:,} ({cost})"))
    rows.append(("isolation", outcome.isolation or "nothing was run"))
    rows.append(("seconds", f"{outcome.seconds:.1f}"))
    rows.append(("run folder", outcome.run_folder))
    rows.append(("thread", outcome.thread_id))
    if outcome.resume:
        rows.append(("resume with", outcome.resume))
    lines = [f"{name + ':':<15}{value}" for name, value in rows]
    return "\n".join([*lines, *([outcome.account] if outcome.account else [])])

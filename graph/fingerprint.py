"""What a thread was begun with, and whether it may go on under what is given now."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from pydantic import BaseModel, ConfigDict

from graph.context import RunContext

# A resumed run may be given more tokens, find its server elsewhere, or be allowed to go without
# isolation, and ask a person less or more; ``out`` served its purpose when the run folder was
# named.
MAY_CHANGE = frozenset({"base_url", "max_tokens", "unsafe_no_sandbox", "out", "clarify", "approve"})


class Fingerprint(BaseModel):
    """Stored with every checkpoint that the command line makes; ``settings`` are the context's."""

    model_config = ConfigDict(extra="forbid")

    description_sha256: str
    graph_version: str
    settings: dict[str, Any]

    @classmethod
    def of(cls, description: str, context: RunContext, graph_version: str) -> "Fingerprint":
        """Fingerprint of a run of ``description`` under ``context``."""
        digest = hashlib.sha256(description.encode("utf-8")).hexdigest()
        return cls(description_sha256=digest, graph_version=graph_version, settings=asdict(context))

    @classmethod
    def kept_with(cls, metadata: Mapping[str, Any], description: str) -> "Fingerprint | None":
        """What the metadata of a checkpoint says that a run of ``description`` was begun with.

        The command line leaves a fingerprint there; a server leaves the version of its graph and
        the choices that were made, each by its name. None where there is neither.
        """
        stored = metadata.get("fingerprint")
        if isinstance(stored, str):
            return cls.model_validate_json(stored)
        version = metadata.get("graph_version")
        if not isinstance(version, str):
            return None
        names = [field.name for field in fields(RunContext) if field.name in metadata]
        context = RunContext(**{name: metadata[name] for name in names})
        return cls.of(description, context, version)

    def context(self, **changed: Any) -> RunContext:
        """The context of the run, with the options in ``changed`` put in.

        Raises:
            ValueError: an option is out of its range.
        """
        known = {field.name for field in fields(RunContext)}
        stored = {name: value for name, value in self.settings.items() if name in known}
        return RunContext(**{**stored, **changed})

    def differences(self, now: "Fingerprint") -> list[str]:
        """What keeps this thread from going on under ``now``, a phrase each."""
        found = []
        if self.description_sha256 != now.description_sha256:
            found.append("the description of the task has changed")
        if self.graph_version != now.graph_version:
            found.append(
                f"the graph has changed from version {self.graph_version} to {now.graph_version}"
            )
        for name in sorted({*self.settings, *now.settings} - MAY_CHANGE):
            before, after = self.settings.get(name), now.settings.get(name)
            if before != after:
                option = name.replace("_", "-")
                found.append(f"--{option} was {_shown(before)} and is now {_shown(after)}")
        return found


def graph_version(nodes: list[str], edges: list[tuple[str, str]], schema: dict[str, Any]) -> str:
    """Twelve hexadecimal digits that change with the graph's shape or the state's types."""
    content = json.dumps([sorted(nodes), sorted(edges), schema], sort_keys=True)
    return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]


def _shown(value: Any) -> str:
    return "not given" if value is None else str(value)

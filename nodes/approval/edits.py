"""Taking a person's edit of the specification or of the code; nothing of it is run here."""

import ast
import json
import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from nodes.approval.choice import LONGEST_EDIT, NotUnderstood
from nodes.codegen.compile_spec import compile_spec
from nodes.environment import standard_complaints
from sandbox.results import ResultInvalid, read_bytes
from state.run_state import RunState
from state.spec import Spec

PIECES = (
    "title",
    "parameters",
    "objective",
    "variables",
    "constraints",
    "model",
    "sar",
    "dynamics",
)

_FILE_NAME = re.compile(r"[^\n/{}]{1,200}\.(json|py)")


def piece_text(text: str, run_folder: str) -> str:
    """``text`` itself, or the content of the file of the run folder that it names.

    Raises:
        NotUnderstood: there is no such file, or it cannot be read.
    """
    if "\n" in text or not _FILE_NAME.fullmatch(text):
        return text
    try:
        content = read_bytes(Path(run_folder), text, 4 * LONGEST_EDIT).decode("utf-8-sig")
    except ResultInvalid as error:
        raise NotUnderstood(f"There is no plain file {text} in the run folder.") from error
    except UnicodeDecodeError as error:
        raise NotUnderstood(f"The file {text} is not UTF-8 text.") from error
    if len(content) > LONGEST_EDIT:
        raise NotUnderstood(
            f"The file {text} is too long: {len(content):,} characters where at most "
            f"{LONGEST_EDIT:,} are taken."
        )
    return content


def edited_spec(state: RunState, text: str) -> Spec:
    """The specification of ``state`` with the pieces in ``text``, a JSON object, put in.

    Raises:
        NotUnderstood: it is no JSON, no valid specification, or one that does not compile.
    """
    before = state.spec()
    given = object_in(text)
    whole = before.model_dump(mode="json")
    fixed = sorted(
        name for name in set(given) & set(whole) - set(PIECES) if given[name] != whole[name]
    )
    if fixed:
        raise NotUnderstood(f"The {fixed[0]} cannot be edited here: begin a new run with it.")
    try:
        spec = Spec.model_validate_json(json.dumps({**whole, **given}))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))[:100] or "the whole"
        raise NotUnderstood(f"The edit is no specification: {place}: {first['msg']}.") from error
    if spec == before:
        raise NotUnderstood("The edit changes nothing.")
    names = [p.name for p in spec.parameters] + [v.name for v in spec.variables]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise NotUnderstood(f"The name {twice[0]} is given twice; each quantity has its own.")
    _, problems = compile_spec(spec)
    wrong = [finding.message for finding in problems.findings]
    if spec.dynamics.gymnasium_id:
        wrong = standard_complaints(spec.dynamics.gymnasium_id, state.description)
    if wrong:
        raise NotUnderstood(f"The edited specification does not compile: {wrong[0]}")
    return spec


def object_in(text: str) -> dict[str, Any]:
    """The JSON object that ``text`` is.

    Raises:
        NotUnderstood: it is none.
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotUnderstood(f"The edit is not valid JSON: {error}.") from error
    if not isinstance(given, dict):
        raise NotUnderstood("The edit is no JSON object with pieces of the specification.")
    return given


def spec_update(state: RunState, spec: Spec) -> dict[str, Any]:
    """The update that puts ``spec`` in place; written bodies stay where they still fit."""
    known = state.spec().dynamics.bodies
    kept = {body.name for body in spec.dynamics.bodies if body in known}
    return {
        **{name: getattr(spec, name) for name in PIECES},
        "bodies": [body for body in state.bodies if body.name in kept],
    }


def edited_code(text: str) -> str:
    """``text`` if it can be an environment.py; the checks in the sandbox decide whether it is.

    Raises:
        NotUnderstood: it is no Python, or has no class Environment.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise NotUnderstood(
            f"The edit is not valid Python: {error.msg} (line {error.lineno})."
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise NotUnderstood(f"The edit cannot be read as Python: {error}.") from error
    if not any(isinstance(node, ast.ClassDef) and node.name == "Environment" for node in tree.body):
        raise NotUnderstood("The edit defines no class Environment: give the whole environment.py.")
    return text if text.endswith("\n") else text + "\n"

"""What is wrong with an answer, in lines that a model can act on."""

from pydantic import ValidationError

from nodes.models.redact import one_line


def schema_complaints(error: ValidationError) -> list[str]:
    """Return one line an error: where in the answer, what is wrong, what was written."""
    lines: list[str] = []
    for entry in error.errors(include_url=False, include_context=False):
        place = ".".join(str(part) for part in entry["loc"]) or "the object"
        written = "" if entry["type"] == "missing" else f" (you wrote {entry['input']!r:.80})"
        line = one_line(f"{place}: {entry['msg']}{written}")
        if line not in lines:
            lines.append(line)
    return lines

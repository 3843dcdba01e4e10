"""What can be said about a description without understanding it: size, kind, title."""

from functools import reduce
from pathlib import Path
from string import Template

FEWEST_CHARACTERS = 20
MOST_CHARACTERS = 100_000
LONGEST_TITLE = 80
LONGEST_REMARK = 4_000
AMENDMENT = Path(__file__).parent / "prompts" / "amendment.md"


def description_problem(text: str) -> str:
    """One sentence saying why ``text`` cannot be a description, or an empty string."""
    visible = "".join(text.split())
    if not visible:
        return "the description is empty; say in words what is to be decided and what is wanted"
    if any(ord(char) < 32 and not char.isspace() for char in text) or "\x7f" in text:
        return "the description is not plain text: it holds control characters"
    if len(text) > MOST_CHARACTERS:
        return (
            f"the description is far too long: {len(text):,} characters where at most "
            f"{MOST_CHARACTERS:,} are taken; leave out what the decisions do not depend on"
        )
    if len(visible) < FEWEST_CHARACTERS:
        return (
            f"the description is too short to work with ({len(visible)} characters); say what is "
            "decided, what is known, what happens then, and what is wanted"
        )
    return ""


def remark_problem(remark: str) -> str:
    """One sentence saying why ``remark`` can be no remark on a description, or an empty string."""
    if not any(char.isalnum() for char in remark):
        return "the remark is empty; say in words what is to be different"
    if any(ord(char) < 32 and not char.isspace() for char in remark) or "\x7f" in remark:
        return "the remark is not plain text: it holds control characters"
    if any(0xD800 <= ord(char) < 0xE000 for char in remark):
        return "the remark is not UTF-8 text"
    if len(remark) > LONGEST_REMARK:
        return (
            f"the remark is too long: {len(remark):,} characters where at most "
            f"{LONGEST_REMARK:,} are taken; describe a problem as different as that anew"
        )
    return ""


def amended(description: str, remarks: list[str]) -> str:
    """The description with ``remarks`` behind it, each said to hold where it differs."""
    template = Template(AMENDMENT.read_text(encoding="utf-8"))
    return reduce(
        lambda text, remark: text.rstrip() + template.substitute(remark=remark.strip()),
        remarks,
        description,
    )


def title_of(text: str) -> str:
    """The first line of ``text`` without heading marks, at most 80 characters."""
    cleaned = (" ".join(line.split()).strip(" #*_=-") for line in text.splitlines())
    title = next((line for line in cleaned if line), "task")
    if len(title) <= LONGEST_TITLE:
        return title
    cut = title[: LONGEST_TITLE - 1]
    return (cut.rsplit(" ", 1)[0].rstrip(",;:") or cut) + "…"

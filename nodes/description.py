"""What can be said about a description without understanding it: size, kind, title."""

FEWEST_CHARACTERS = 20
MOST_CHARACTERS = 100_000
LONGEST_TITLE = 80


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


def title_of(text: str) -> str:
    """The first line of ``text`` without heading marks, at most 80 characters."""
    cleaned = (" ".join(line.split()).strip(" #*_=-") for line in text.splitlines())
    title = next((line for line in cleaned if line), "task")
    if len(title) <= LONGEST_TITLE:
        return title
    cut = title[: LONGEST_TITLE - 1]
    return (cut.rsplit(" ", 1)[0].rstrip(",;:") or cut) + "…"

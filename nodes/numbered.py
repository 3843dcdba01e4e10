"""Names that differ only by a number are one list."""

import re

_NUMBERED = re.compile(r"^(.*?[a-z])_?(\d+)$")
FEWEST = 3


def numbered_groups(names: list[str]) -> dict[str, list[str]]:
    """Groups of ``names`` such as tank_1, tank_2, tank_3, in that order, by their stem.

    They must count on from 0 or 1 without a gap and be at least three; the stem must not be
    taken by another name.
    """
    found: dict[str, dict[int, str]] = {}
    for name in names:
        match = _NUMBERED.match(name)
        if match:
            found.setdefault(match.group(1), {})[int(match.group(2))] = name
    groups = {}
    for stem, members in found.items():
        numbers = sorted(members)
        gapless = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        if gapless and numbers[0] in (0, 1) and len(numbers) >= FEWEST and stem not in names:
            groups[stem] = [members[number] for number in numbers]
    return groups

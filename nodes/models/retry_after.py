"""The pause that a server asks for."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def seconds_of(header: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for, given as a number or as a date.

    None if there is no header or it says neither.
    """
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(header)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())

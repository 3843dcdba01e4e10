"""What several tests of threads begin with."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.fake_chat_server import FakeChatServer
from tests.quick_runs import Start, quick_runs
from tests.small_problem import replies


@pytest.fixture
def start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Start]:
    """Makes quick runs of the small problem, with these replies instead of the usual ones."""
    with ExitStack() as stack:
        yield lambda **instead: stack.enter_context(
            quick_runs(tmp_path, monkeypatch, capsys, FakeChatServer(replies(**instead)))
        )

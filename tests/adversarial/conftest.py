"""Every attack is made on each way to contain it that this machine has."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import isolation
from tests.adversarial.ways import SANDLOCK, WAYS, in_sandlock
from tests.living import processes_with


@pytest.fixture(autouse=True, params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name = str(request.param)
    if name == SANDLOCK:
        way = in_sandlock()
        monkeypatch.setattr(isolation, "_choose", lambda: way)
        return name
    chosen = isolation.choose()
    if name == "as a user of its own":
        assert chosen.drops_user
    elif name == "in a user namespace":
        monkeypatch.setattr(isolation, "_choose", lambda: chosen._replace(drops_user=False))
    return name


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """After all attacks, no process of theirs lives and no file of theirs lies outside."""
    yield
    assert processes_with(str(tmp_path_factory.getbasetemp())) == []
    ours = f"a-lamp-{os.getpid()}-*"
    left = [*Path(tempfile.gettempdir()).glob(ours), *Path("/sys/fs/cgroup").glob(f"**/{ours}")]
    assert left == []
    marked = [path for place in ("/tmp", "/dev/shm", "/") for path in Path(place).glob("mark-of-*")]
    assert marked == []

"""Every attack is made on each way to contain it that this machine has."""

import pytest

from sandbox import isolation
from tests.adversarial.ways import SANDLOCK, WAYS, in_sandlock


@pytest.fixture(autouse=True, params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name = str(request.param)
    if name == SANDLOCK:
        monkeypatch.setattr(isolation, "_choose", in_sandlock)
        return name
    chosen = isolation.choose()
    if name == "as a user of its own":
        assert chosen.drops_user
    elif name == "in a user namespace":
        monkeypatch.setattr(isolation, "_choose", lambda: chosen._replace(drops_user=False))
    return name

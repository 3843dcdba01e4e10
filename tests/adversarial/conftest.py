"""Every attack is made on each way to contain it that this machine has."""

import os

import pytest

from sandbox import isolation

WAYS = ["as a user of its own", "in a user namespace"] if os.geteuid() == 0 else ["not as root"]


@pytest.fixture(autouse=True, params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name = str(request.param)
    chosen = isolation.choose()
    if name == "as a user of its own":
        assert chosen.drops_user
    elif name == "in a user namespace":
        monkeypatch.setattr(isolation, "_choose", lambda: chosen._replace(drops_user=False))
    return name

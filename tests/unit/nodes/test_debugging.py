import pytest
from langgraph.runtime import Runtime

from nodes.debugging import give_up, send_back
from nodes.settings import RunSettings
from state.artefacts import CodeArtefacts
from state.findings import CheckReport, Finding
from state.run_state import RunState

RUNTIME: Runtime[RunSettings] = Runtime(context=RunSettings())
BLOCKING = Finding(check="c", owner="sar", message="The reward has the wrong sign.")
REMARK = Finding(check="r", owner="coding", message="It could be faster.", blocking=False)


def failed(rounds: int) -> RunState:
    return RunState(
        description="d",
        debug_rounds=rounds,
        code=CodeArtefacts(),
        checks=CheckReport(findings=[REMARK, BLOCKING]),
    )


def test_send_back_counts_and_hands_over_what_blocks() -> None:
    assert send_back(failed(2), RUNTIME) == {
        "debug_rounds": 3,
        "remarks": [BLOCKING],
        "code": None,
        "checks": None,
    }


@pytest.mark.parametrize(
    ("rounds", "says"),
    [(0, "no correction round"), (1, "1 correction round was"), (5, "5 correction rounds were")],
)
def test_giving_up_says_why(rounds: int, says: str) -> None:
    update = give_up(failed(rounds), RUNTIME)
    assert update["status"] == "unverified"
    assert says in update["account"]
    assert BLOCKING.message in update["account"]


def test_giving_up_without_a_finding_is_still_an_account() -> None:
    account = give_up(RunState(description="d"), RUNTIME)["account"]
    assert account == (
        "The generated code never passed its checks; no correction round was allowed."
    )

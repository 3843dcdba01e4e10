from pathlib import Path

import pytest

import benchmarks
from benchmarks.catalogue import task_description, task_names
from nodes.description import description_problem, title_of

EXAMPLES = sorted((Path(benchmarks.__file__).parents[1] / "examples").glob("*.md"))


def test_names() -> None:
    assert task_names() == [
        "cart-pole",
        "drone-delivery",
        "inventory-management",
        "mountain-car",
        "wireless",
    ]


@pytest.mark.parametrize("name", task_names())
def test_descriptions_can_be_run(name: str) -> None:
    text = task_description(name)
    assert description_problem(text) == ""
    assert title_of(text) != "task"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_can_be_run(path: Path) -> None:
    assert description_problem(path.read_text(encoding="utf-8")) == ""


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 2


@pytest.mark.parametrize("name", ["", "nothing", "../tasks/wireless", "wireless/"])
def test_unknown_task_names_those_that_exist(name: str) -> None:
    with pytest.raises(KeyError, match=r"known are cart-pole, .*wireless"):
        task_description(name)

"""Problems, attempts and requests come back from their files as they were."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.training.fitted_discount import fitted_discount
from sandbox.training.problem import Piece, Problem
from sandbox.training.request import Attempt, Circumstances, Request, Wishes

NUMBERS = st.floats(-1e9, 1e9)
NAMES = st.text(max_size=8)
PIECES = st.builds(
    Piece,
    name=NAMES,
    shape=st.lists(st.integers(1, 6), max_size=3),
    unit=NAMES,
    low=st.none() | NUMBERS,
    high=st.none() | NUMBERS,
    dtype=st.sampled_from(["real", "integer", "boolean"]),
)
PROBLEMS = st.builds(
    Problem,
    gymnasium_id=NAMES,
    horizon=st.integers(1, 5000),
    discount=st.floats(0, 1),
    shapes_future=st.booleans(),
    observation=st.lists(PIECES, max_size=3),
    decisions=st.lists(PIECES, max_size=3),
)
ATTEMPTS = st.builds(
    Attempt,
    name=NAMES,
    method=NAMES,
    discount=st.floats(0, 1),
    total_timesteps=st.integers(1, 10**6),
    seed=st.integers(0, 10**8),
    remedies=st.lists(NAMES, max_size=3),
    stop_after=st.none() | st.integers(1, 10**6),
    reasons=st.lists(NAMES, max_size=2),
)
REQUESTS = st.builds(
    Request,
    problem=PROBLEMS,
    wishes=st.builds(
        Wishes,
        algorithm=NAMES,
        steps=st.none() | st.integers(1, 10**6),
        seed=st.integers(0, 10**8),
        without=st.lists(NAMES, max_size=3).map(tuple),
    ),
    circumstances=st.builds(Circumstances, batched=st.booleans(), heuristic=st.booleans()),
    seconds=st.floats(0.1, 1e6),
    side_by_side=st.integers(1, 4),
)


@given(problem=PROBLEMS)
def test_problems_come_back(problem: Problem) -> None:
    assert Problem.from_json(json.loads(problem.to_json())) == problem


@given(attempt=ATTEMPTS)
def test_attempts_come_back(attempt: Attempt) -> None:
    assert Attempt.from_json(json.loads(json.dumps(attempt.as_json()))) == attempt


@settings(max_examples=30, deadline=None)
@given(request=REQUESTS)
def test_requests_come_back(request: Request, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "request.json"
    path.write_text(request.to_json())
    assert Request.read(path) == request


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("not json", ValueError),
        ("{}", KeyError),
        ('{"problem": {}, "wishes": {"colour": 1}}', TypeError),
    ],
)
def test_no_request_is_said(tmp_path: Path, text: str, error: type[Exception]) -> None:
    (tmp_path / "request.json").write_text(text)
    with pytest.raises(error):
        Request.read(tmp_path / "request.json")


def test_no_problem_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Problem.read(tmp_path / "problem.json")
    (tmp_path / "problem.json").write_text('{"colour": "red"}')
    with pytest.raises(TypeError):
        Problem.read(tmp_path / "problem.json")


@pytest.mark.parametrize(("shape", "size"), [([], 1), ([4], 4), ([3, 2], 6)])
def test_a_piece_knows_how_many_numbers_it_holds(shape: list[int], size: int) -> None:
    assert Piece("x", shape).size == size


@given(problem=PROBLEMS)
def test_no_learner_goes_without_some_discount(problem: Problem) -> None:
    fitted, why = fitted_discount(problem)
    ahead = problem.shapes_future and problem.horizon > 1
    assert (0.9 <= fitted <= 0.99) if ahead else fitted == 0
    assert f"{fitted:.4g}" in why or f"{fitted:g}" in why

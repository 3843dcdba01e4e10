"""Plain data over a wire: what is sent arrives, and what is no message is said to be none."""

import json
import math
import os
import socket
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from sandbox.programs import space_data
from sandbox.programs.asking import in_this_process, over
from sandbox.programs.faults import AnswerInvalid, Fault, ForeignCodeRaised
from sandbox.programs.wire import Garbled, Opaque, OtherSideEnded, Wire, decode, encode

NUMBERS = st.one_of(
    st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.booleans(), st.none(), st.text()
)
ARRAYS = arrays.arrays(
    st.sampled_from([np.float64, np.float32, np.int64, np.uint8, np.bool_]),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
PLAIN = st.recursive(
    NUMBERS | ARRAYS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5).filter(lambda k: k != "~"), inner, max_size=4)
    ),
    max_leaves=8,
)


def alike(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        same = isinstance(other, np.ndarray) and one.dtype == other.dtype
        return same and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(one[k], other[k]) for k in one)
    return type(one) is type(other) and bool(one == other)


@given(PLAIN)
def test_what_is_sent_arrives(value: Any) -> None:
    assert alike(value, decode(encode(value)))


@given(st.binary(max_size=300))
def test_whatever_bytes_come_they_are_read_or_refused(message: bytes) -> None:
    with suppress(Garbled):
        assert encode(decode(message))


def message(plain: Any, rest: bytes = b"") -> bytes:
    return json.dumps(plain).encode() + b"\0" + rest


@pytest.mark.parametrize(
    "wrong",
    [
        b"[1, 2]",
        message([1], b"x"),
        message({"~": ["array", "<f8", [2]]}, bytes(8)),
        message({"~": ["array", "<f8", [-1]]}),
        message({"~": ["array", "<f8", [2**62, 2**62, 2**62]]}),
        message({"~": ["array", "|O", [1]]}, bytes(8)),
        message({"~": ["array", "<M8[s]", [1]]}, bytes(8)),
        message({"~": ["array", "<f8", [0] * 40]}),
        message({"~": "array"}),
        b"[" * 100_000 + b"\0",
        b"1" * 10_000 + b"\0",
    ],
)
def test_what_is_no_message_is_said_to_be_none(wrong: bytes) -> None:
    with pytest.raises(Garbled):
        decode(wrong)


class Odd:
    def __repr__(self) -> str:
        raise OSError


ODD = {
    "its repr raises": Odd(),
    "a type": object,
    "keys are numbers": {1: 2},
    "a key is ours": {"~": 1},
    "an array of objects": np.array([Odd()]),
    "a number too long to write": 10**5000,
}


@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_what_is_no_plain_data_arrives_as_the_name_of_its_type(value: Any) -> None:
    (arrived,) = decode(encode([value]))
    assert isinstance(arrived, Opaque)
    assert arrived.type_name == type(value).__name__


def test_scalars_of_numpy_stay_what_they_are() -> None:
    arrived = decode(encode([np.float32(1.5), np.int64(3), np.bool_(True), np.float64("inf")]))
    assert [type(one) for one in arrived] == [np.float32, np.int64, np.bool, np.float64]
    assert math.isinf(arrived[3])
    assert decode(message([{"~": ["array", "|b1", [1]]}], b"\x07"))[0].tobytes() == b"\x01"


def test_the_other_side_may_end_or_send_nonsense() -> None:
    ours, theirs = socket.socketpair()
    wire = Wire(ours.detach())
    with theirs:
        theirs.sendall(b"\x7f\xff\xff\xff")
        with pytest.raises(Garbled, match="length"):
            wire.receive()
    ours, theirs = socket.socketpair()
    wire = Wire(ours.detach())
    theirs.close()
    with pytest.raises(OtherSideEnded):
        wire.receive()
    with pytest.raises(OtherSideEnded):
        wire.send_message(b"x" * 10)
    wire.close()


def test_faults_and_answers_that_are_none() -> None:
    ours, theirs = socket.socketpair()
    ask, host = over(Wire(ours.detach()), "environment"), Wire(theirs.detach())
    for answer, error, said in (
        ({"answer": 3}, None, ""),
        ({"fault": {"kind": "KeyError", "said": "KeyError: 'x'", "lines": []}},
         ForeignCodeRaised, "KeyError: 'x'"),
        ({"fault": 3}, AnswerInvalid, "cannot be read"),
        ({}, AnswerInvalid, "neither"),
        ([], AnswerInvalid, "instead of a mapping"),
    ):  # fmt: skip
        host.send_message(encode(answer))
        if error is None:
            assert ask("anything") == 3
            continue
        with pytest.raises(error, match=said):
            ask("anything")
    host.send_message(b"no message")
    with pytest.raises(AnswerInvalid, match="process of the environment is not understood"):
        ask("anything")
    host.close()
    with pytest.raises(OtherSideEnded, match="process of the environment ended"):
        ask("anything")


class OddError(Exception):
    def __str__(self) -> str:
        return 1 / 0  # type: ignore[return-value]


def test_an_exception_whose_words_raise_is_told_all_the_same() -> None:
    assert Fault.of(OddError()).said == "OddError, whose words raise ZeroDivisionError"

    def fails() -> None:
        raise OddError

    with pytest.raises(ForeignCodeRaised, match="OddError"):
        in_this_process({"fail": fails})("fail")


SPACES = [
    spaces.Discrete(3, start=2),
    spaces.MultiDiscrete([3, 4], start=[1, 0]),
    spaces.MultiBinary(3),
    spaces.MultiBinary([2, 3]),
    spaces.Box(-1, np.array([1.0, np.inf], np.float32), (2,), np.float32),
    spaces.Box(0, 255, (2, 2), np.uint8),
]


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_spaces_come_back_as_they_were(space: spaces.Space[Any]) -> None:
    back = space_data.from_plain(decode(encode(space_data.as_plain(space))))
    assert back == space
    space.seed(1)
    back.seed(1)
    assert repr(back.sample()) == repr(space.sample())


def test_other_spaces_are_known_by_their_text() -> None:
    space = spaces.Dict({"a": spaces.Discrete(2)})
    back = space_data.from_plain(decode(encode(space_data.as_plain(space))))
    assert (str(back), back.shape) == (str(space), None)


@pytest.mark.parametrize(
    "fields",
    [
        None,
        {"kind": "discrete", "n": -1, "start": 0},
        {"kind": "box", "low": np.zeros(2), "high": np.zeros(3), "dtype": "<f4"},
        {"kind": "box", "low": np.ones(2), "high": np.zeros(2), "dtype": "|O"},
        {"kind": "multi_binary", "n": [10**9]},
        {"kind": "multi_discrete", "nvec": np.zeros(2), "start": np.zeros(2), "dtype": "<i8"},
        {"kind": "tuple"},
    ],
)
def test_what_is_no_space_is_refused(fields: Any) -> None:
    with pytest.raises(AnswerInvalid):
        space_data.from_plain(fields)


def test_a_wire_closes_its_descriptor() -> None:
    reading, writing = os.pipe()
    Wire(writing).close()
    assert os.read(reading, 1) == b""
    os.close(reading)

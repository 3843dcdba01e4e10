"""Tokens that are guessed ahead change how fast a reply comes, and nothing else."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.models import generation
from nodes.models.errors import ModelFailed
from nodes.models.generation import Generated, Generator
from nodes.models.lookup import Lookup
from nodes.models.sampling import TokenChoice
from tests.unit.models.fake_runtime import CONTEXT, END, WORDS, FakeLlama, FakeRuntime

PROMPTS = st.lists(st.integers(1, WORDS - 1), min_size=1, max_size=20)


def one_by_one(
    runtime: FakeRuntime, prompt: list[int], *, grammar: bool, most: int
) -> tuple[list[int], str]:
    """What the language writes at temperature 0, worked out without any generator."""
    written: list[int] = []
    while True:
        logits = runtime.logits([*prompt, *written])
        if grammar and written:
            logits[[(word + written[-1]) % 2 == 0 for word in range(WORDS)]] = -np.inf
        token = int(logits.argmax())
        if token == END:
            return written, "stop"
        written.append(token)
        if len(written) == most:
            return written, "length"


def letters(tokens: list[int]) -> str:
    return FakeLlama().detokenize(tokens).decode()


@given(st.integers(0, 200), st.lists(PROMPTS, min_size=1, max_size=3), st.booleans())
def test_replies_are_those_of_one_token_at_a_time(
    seed: int, prompts: list[list[int]], held: bool
) -> None:
    runtime = FakeRuntime(seed)
    generator = Generator(FakeLlama(), runtime)
    for prompt in prompts:
        grammar = "root ::= any" if held else None
        reply = generator.generate(prompt, grammar=grammar, max_tokens=30, temperature=0, seed=0)
        written, reason = one_by_one(runtime, prompt, grammar=held, most=30)
        assert reply == Generated(letters(written), reason, len(prompt), len(written))
        assert runtime.open_grammars == 0


def test_guesses_that_come_true_save_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = {}
    for guessed in (0, 3):
        monkeypatch.setattr(generation, "GUESSED_AHEAD", guessed)
        runtime = FakeRuntime(2)
        reply = Generator(FakeLlama(), runtime).generate(
            [1, 2, 3], grammar=None, max_tokens=40, temperature=0, seed=0
        )
        assert reply.completion_tokens == 40
        calls[guessed] = runtime.calls
    assert calls[3] < 0.6 * calls[0]


def test_what_two_prompts_begin_with_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = FakeRuntime(0)
    generator = Generator(FakeLlama(), runtime)
    begun = list(range(1, 10))
    generator.generate([*begun, 3], grammar=None, max_tokens=1, temperature=0, seed=0)
    read: list[int] = []
    decode = runtime.llama_decode
    monkeypatch.setattr(
        runtime, "llama_decode", lambda c, b: read.append(b.n_tokens) or decode(c, b)
    )
    generator.generate([*begun, 5], grammar=None, max_tokens=1, temperature=0, seed=0)
    assert read == [1]


def test_a_prompt_that_fills_the_context_is_told() -> None:
    generator = Generator(FakeLlama(), FakeRuntime(0))
    with pytest.raises(ModelFailed, match=f"{CONTEXT} tokens and the local model reads {CONTEXT}"):
        generator.generate([1] * CONTEXT, grammar=None, max_tokens=5, temperature=0, seed=0)


def test_a_reply_ends_where_the_context_does() -> None:
    runtime = FakeRuntime(2)
    reply = Generator(FakeLlama(), runtime).generate(
        [1, 2] * 30, grammar=None, max_tokens=500, temperature=0, seed=0
    )
    assert len(runtime.read) <= CONTEXT
    assert reply.prompt_tokens + reply.completion_tokens <= CONTEXT
    assert reply.finish_reason in ("length", "stop")


def test_a_reply_that_goes_in_circles_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "LOOK_EVERY", 4)
    runtime = FakeRuntime(2)
    llama = FakeLlama()
    said = '{"things": [' + '{"name": "a"}, ' * 40
    monkeypatch.setattr(llama, "detokenize", lambda tokens: said[: 4 * len(tokens)].encode())
    reply = Generator(llama, runtime).generate(
        [1, 2, 3], grammar=None, max_tokens=50, temperature=0, seed=0
    )
    assert reply.finish_reason == "length"
    assert reply.completion_tokens == 12
    assert reply.text == said[:48]


def test_a_grammar_that_cannot_be_read_is_told() -> None:
    generator = Generator(FakeLlama(), FakeRuntime(0))
    with pytest.raises(ModelFailed, match="cannot read the grammar"):
        generator.generate([1], grammar="unreadable", max_tokens=5, temperature=0, seed=0)


def test_a_choice_by_chance_keeps_to_the_grammar_and_its_chances() -> None:
    runtime = FakeRuntime(0)
    choice = TokenChoice(runtime, "vocab", "root ::= any", temperature=1.0, seed=1)
    choice.accept(3)
    logits = np.log(np.arange(1, WORDS + 1)).astype(np.float32)
    drawn = np.array([choice.choose(logits) for _ in range(4000)])
    even = np.arange(0, WORDS, 2)
    assert set(drawn) == set(even)
    expected = (even + 1) / (even + 1).sum()
    counts = np.array([(drawn == word).mean() for word in even])
    assert np.abs(counts - expected).max() < 0.03


def test_where_nothing_is_allowed_nothing_is_chosen() -> None:
    runtime = FakeRuntime(0)
    choice = TokenChoice(runtime, "vocab", "root ::= any", temperature=0, seed=0)
    choice.accept(2)
    logits = np.full(WORDS, -math.inf, dtype=np.float32)
    logits[2] = 1.0
    assert choice.choose(logits) is None


def test_what_followed_the_longest_same_ending_is_guessed() -> None:
    lookup = Lookup([5, 6, 7, 8, 1, 6, 7, 9, 5, 6])
    assert lookup.guess(3) == [7, 8, 1]
    lookup.extend([7])
    assert lookup.guess(2) == [8, 1]
    assert Lookup([1, 2, 3]).guess(3) == []
    assert Lookup([]).guess(3) == []


def test_a_gap_is_marked_by_what_stands_before_and_behind_it() -> None:
    generator = Generator(FakeLlama(), FakeRuntime(0))
    assert generator.gap("abc", "d") == [101, 0, 1, 2, 102, 3, 103]

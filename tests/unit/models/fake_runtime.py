"""A stand-in for llama.cpp's calls: a tiny language whose next token depends on the last two."""

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORDS = 12
END = 0
CONTEXT = 64


class llama_token_data(ctypes.Structure):  # noqa: N801 - the runtime's own name
    _fields_ = (("id", ctypes.c_int32), ("logit", ctypes.c_float), ("p", ctypes.c_float))


class llama_token_data_array(ctypes.Structure):  # noqa: N801 - the runtime's own name
    _fields_ = (
        ("data", ctypes.POINTER(llama_token_data)),
        ("size", ctypes.c_size_t),
        ("selected", ctypes.c_int64),
        ("sorted", ctypes.c_bool),
    )


class FakeRuntime:
    """Reads tokens into a memory and checks that they stand where they belong.

    Its grammar, any text, allows each token only behind a token of the other parity.
    """

    llama_token_data = llama_token_data
    llama_token_data_array = llama_token_data_array

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.read: list[int] = []
        self.calls = 0
        self.open_grammars = 0
        self._rows: dict[int, Any] = {}
        self._accepted: list[int] = []

    def logits(self, read: list[int]) -> NDArray[np.float32]:
        """What the language says of the next token."""
        chances = np.random.default_rng([self.seed, *read[-2:]]).normal(size=WORDS)
        chances[END] -= 1
        return chances.astype(np.float32)

    def llama_get_memory(self, context: Any) -> str:
        return "memory"

    def llama_batch_init(self, size: int, embeddings: int, sequences: int) -> Any:
        return SimpleNamespace(
            n_tokens=0, token=[0] * size, pos=[0] * size, n_seq_id=[0] * size,
            seq_id=[[0] for _ in range(size)], logits=[False] * size,
        )  # fmt: skip

    def llama_decode(self, context: Any, batch: Any) -> int:
        self.calls += 1
        self._rows = {}
        for i in range(batch.n_tokens):
            assert batch.pos[i] == len(self.read)
            self.read.append(batch.token[i])
            if batch.logits[i]:
                self._rows[i] = (ctypes.c_float * WORDS)(*self.logits(self.read))
        return 1 if len(self.read) > CONTEXT else 0

    def llama_get_logits_ith(self, context: Any, place: int) -> Any:
        return self._rows[place]

    def llama_memory_seq_rm(self, memory: str, sequence: int, first: int, last: int) -> bool:
        del self.read[first:]
        return True

    def llama_vocab_fim_pre(self, vocab: Any) -> int:
        return 101

    def llama_vocab_fim_suf(self, vocab: Any) -> int:
        return 102

    def llama_vocab_fim_mid(self, vocab: Any) -> int:
        return 103

    def llama_vocab_is_eog(self, vocab: Any, token: int) -> bool:
        return token == END

    def llama_sampler_init_grammar(self, vocab: Any, grammar: bytes, root: bytes) -> Any:
        if b"unreadable" in grammar:
            return None
        self.open_grammars += 1
        self._accepted = []
        return "grammar"

    def llama_sampler_apply(self, grammar: str, given: Any) -> None:
        candidates = given._obj
        for i in range(candidates.size):
            if not self.allows(candidates.data[i].id):
                candidates.data[i].logit = -np.inf

    def allows(self, token: int) -> bool:
        """True if ``token`` may follow what was accepted."""
        return not self._accepted or (token + self._accepted[-1]) % 2 == 1

    def llama_sampler_accept(self, grammar: str, token: int) -> None:
        assert self.allows(token)
        self._accepted.append(token)

    def llama_sampler_free(self, grammar: str) -> None:
        self.open_grammars -= 1


class FakeLlama:
    """The few members of a loaded model that a generator uses; a token is a letter."""

    _ctx = SimpleNamespace(ctx="context")
    _model = SimpleNamespace(vocab="vocab")

    def n_ctx(self) -> int:
        return CONTEXT

    def n_vocab(self) -> int:
        return WORDS

    def detokenize(self, tokens: list[int]) -> bytes:
        return bytes(ord("a") + token for token in tokens)

    def tokenize(self, text: bytes, *, add_bos: bool, special: bool) -> list[int]:
        return [letter - ord("a") for letter in text]

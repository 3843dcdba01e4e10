"""A reply of a model in llama.cpp: prompt read once, tokens guessed ahead and read together."""

import ctypes
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nodes.models.errors import ModelFailed
from nodes.models.lookup import Lookup
from nodes.models.repetition import until_it_repeats
from nodes.models.sampling import TokenChoice

GUESSED_AHEAD = 3
"""Tokens guessed at once: with the one before them four, which the runtime multiplies together."""
LOOK_EVERY = 32
"""Tokens after which a reply is looked at, whether it goes round in circles."""
READ_AT_ONCE = 512
"""Prompt tokens in one call of the runtime; its own default."""


@dataclass(frozen=True)
class Generated:
    """A reply and how it ended: ``stop`` by itself, ``length`` cut off.

    It is cut off by a limit, or because it repeats itself.
    """

    text: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int


class Generator:
    """Writes replies with one loaded model; keeps what it read for prompts that begin alike.

    A guessed token counts only where the model itself would have chosen it, so that guesses
    change how fast a reply comes and nothing else.
    """

    def __init__(self, llama: Any, runtime: Any) -> None:
        self._runtime = runtime
        self._llama = llama
        self._context = llama._ctx.ctx
        self._vocab = llama._model.vocab
        self._memory = self._runtime.llama_get_memory(self._context)
        self._batch = self._runtime.llama_batch_init(READ_AT_ONCE, 0, 1)
        self._read: list[int] = []

    def tokens(self, messages: Sequence[dict[str, str]]) -> list[int]:
        """The prompt that ``messages`` (role and content) make in the model's chat template."""
        chat_format = importlib.import_module("llama_cpp.llama_chat_format")
        end = self._llama.detokenize([self._llama.token_eos()], special=True).decode()
        formatter = chat_format.Jinja2ChatFormatter(
            template=self._llama.metadata["tokenizer.chat_template"], eos_token=end, bos_token=""
        )
        prompt = formatter(messages=list(messages)).prompt
        tokens: list[int] = self._llama.tokenize(prompt.encode(), add_bos=False, special=True)
        return tokens

    def gap(self, before: str, behind: str) -> list[int]:
        """The prompt for what is missing between ``before`` and ``behind``.

        Models of code are trained to fill such gaps, marked by tokens of their own (Bavarian et
        al., Efficient training of language models to fill in the middle, 2022).
        """
        marks = [
            mark(self._vocab)
            for mark in (
                self._runtime.llama_vocab_fim_pre,
                self._runtime.llama_vocab_fim_suf,
                self._runtime.llama_vocab_fim_mid,
            )
        ]
        return [marks[0], *self.pieces(before), marks[1], *self.pieces(behind), marks[2]]

    def pieces(self, text: str) -> list[int]:
        """The tokens of ``text``, which need not begin a prompt."""
        tokens: list[int] = self._llama.tokenize(text.encode(), add_bos=False, special=False)
        return tokens

    @cached_property
    def line_ends(self) -> NDArray[np.bool_]:
        """For each token whether a line of code ends with it, or goes on with words about it."""
        count = self._llama.n_vocab()
        ends = np.zeros(count, dtype=bool)
        for token in range(count):
            text = self._llama.detokenize([token])
            over = self._runtime.llama_vocab_is_eog(self._vocab, token)
            ends[token] = over or b"\n" in text or b"#" in text
        return ends

    def rows_behind(self, tokens: list[int], last: int) -> list[NDArray[np.float32]]:
        """Logits behind the last ``last + 1`` of ``tokens``, at most ``READ_AT_ONCE``.

        The rows are the runtime's own memory and hold until the next call. Raises ``ModelFailed``
        if the context is too short for them.
        """
        self._room(tokens)
        kept = len(tokens) - last - 1
        self._read_on(tokens[:kept])
        return self._read_tokens(tokens[kept:], all_logits=True)

    def generate(
        self,
        prompt: list[int],
        *,
        grammar: str | None,
        max_tokens: int,
        temperature: float,
        seed: int,
    ) -> Generated:
        """Continue ``prompt``, as ``grammar`` (GBNF, root ``root``) allows.

        Raises ``ModelFailed`` if the grammar cannot be read, or the prompt fills the context.
        """
        room = self._room(prompt)
        choice = TokenChoice(
            self._runtime, self._vocab, grammar, temperature=temperature, seed=seed
        )
        try:
            written, reason = self._write(prompt, choice, min(max_tokens, room))
        finally:
            choice.close()
        return Generated(self.text(written), reason, len(prompt), len(written))

    def _room(self, prompt: list[int]) -> int:
        """Tokens that a reply may have."""
        room: int = self._llama.n_ctx() - len(prompt)
        if room < 1:
            raise ModelFailed(
                f"The prompt has {len(prompt)} tokens and the local model reads "
                f"{self._llama.n_ctx()}: shorten the description, or choose another model."
            )
        return room

    def text(self, tokens: list[int]) -> str:
        """What ``tokens`` say."""
        text: str = self._llama.detokenize(tokens).decode("utf-8", "replace")
        return text

    def _write(self, prompt: list[int], choice: TokenChoice, most: int) -> tuple[list[int], str]:
        written: list[int] = []
        lookup = Lookup(prompt)
        guessed: list[int] = []
        logits = self._read_prompt(prompt)
        while True:
            for right, row in enumerate(logits):
                token = choice.choose(row)
                if token is None or self._runtime.llama_vocab_is_eog(self._vocab, token):
                    return written, "stop"
                written.append(token)
                if len(written) == most:
                    return written, "length"
                if len(written) % LOOK_EVERY == 0 and until_it_repeats(self.text(written)):
                    return written, "length"
                choice.accept(token)
                lookup.extend([token])
                if guessed[right : right + 1] != [token]:
                    break
            self._forget(len(prompt) + len(written) - 1)
            guessed = lookup.guess(min(GUESSED_AHEAD, most - len(written) - 1))
            logits = self._read_tokens([written[-1], *guessed], all_logits=True)

    def _read_prompt(self, prompt: list[int]) -> list[NDArray[np.float32]]:
        """Read what of ``prompt`` is not read yet; returns the logits behind its last token."""
        self._read_on(prompt[:-1])
        return self._read_tokens(prompt[-1:], all_logits=False)

    def _read_on(self, tokens: list[int]) -> None:
        """Have read ``tokens`` and nothing else."""
        common = 0
        for ours, theirs in zip(self._read, tokens, strict=False):
            if ours != theirs:
                break
            common += 1
        self._forget(common)
        for start in range(common, len(tokens), READ_AT_ONCE):
            self._read_tokens(tokens[start : start + READ_AT_ONCE], all_logits=False)

    def _read_tokens(self, tokens: list[int], *, all_logits: bool) -> list[NDArray[np.float32]]:
        """Read ``tokens`` behind those read so far; logits behind each of them, or the last.

        The rows are the runtime's own memory and hold until the next call.
        """
        batch = self._batch
        batch.n_tokens = len(tokens)
        for i, token in enumerate(tokens):
            batch.token[i] = token
            batch.pos[i] = len(self._read) + i
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = 0
            batch.logits[i] = all_logits or i == len(tokens) - 1
        if self._runtime.llama_decode(self._context, batch) != 0:
            self._forget(0)
            raise ModelFailed("The local model's runtime cannot read on: choose another model.")
        self._read += tokens
        first = 0 if all_logits else len(tokens) - 1
        return [self._logits(i) for i in range(first, len(tokens))]

    def _logits(self, place: int) -> NDArray[np.float32]:
        row = self._runtime.llama_get_logits_ith(self._context, place)
        pointer = ctypes.cast(row, ctypes.POINTER(ctypes.c_float))
        return np.ctypeslib.as_array(pointer, shape=(self._llama.n_vocab(),))

    def _forget(self, kept: int) -> None:
        """Forget all tokens read but the first ``kept``."""
        self._runtime.llama_memory_seq_rm(self._memory, 0, kept, -1)
        del self._read[kept:]

"""The next token of a reply, out of those that its grammar allows."""

import ctypes
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nodes.models.errors import ModelFailed

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class TokenChoice:
    """Chooses tokens by their logits, at temperature 0 the likeliest one.

    The grammar is asked about the chosen token alone, and about the whole vocabulary only where
    it forbids that one: the outcome is distributed as if all had been asked about at once.
    Raises ``ModelFailed`` if the runtime cannot read the grammar, which would crash it later.
    """

    def __init__(
        self, runtime: Any, vocab: Any, grammar: str | None, *, temperature: float, seed: int
    ) -> None:
        self._runtime = runtime
        self._temperature = temperature
        self._random = np.random.default_rng(seed)
        self._grammar = None
        if grammar is not None:
            self._grammar = runtime.llama_sampler_init_grammar(vocab, grammar.encode(), b"root")
            if not self._grammar:
                raise ModelFailed(
                    "The local model's runtime cannot read the grammar for this reply: choose "
                    "another model."
                )

    def choose(self, logits: NDArray[np.float32]) -> int | None:
        """The next token, given logits of shape (vocabulary,); None if none is allowed."""
        token = self._pick(logits)
        if self._grammar is None or self._allowed(np.array([token]), logits)[0] > -math.inf:
            return token
        allowed = self._allowed(np.arange(len(logits)), logits)
        return self._pick(allowed) if allowed.max() > -math.inf else None

    def accept(self, token: int) -> None:
        """Go on in the grammar behind ``token``, which it must allow."""
        if self._grammar is not None:
            self._runtime.llama_sampler_accept(self._grammar, token)

    def close(self) -> None:
        """Free the grammar."""
        if self._grammar is not None:
            self._runtime.llama_sampler_free(self._grammar)
            self._grammar = None

    def _pick(self, logits: NDArray[np.float32]) -> int:
        if self._temperature == 0:
            return int(logits.argmax())
        scaled = (logits - logits.max()).astype(np.float64) / self._temperature
        chances = np.exp(scaled)
        return int(self._random.choice(len(logits), p=chances / chances.sum()))

    def _allowed(
        self, tokens: NDArray[np.int64], logits: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """The logits of ``tokens``, minus infinity for each that the grammar forbids."""
        candidates = np.zeros(len(tokens), dtype=_CANDIDATE)
        candidates["id"], candidates["logit"] = tokens, logits[tokens]
        pointer = candidates.ctypes.data_as(ctypes.POINTER(self._runtime.llama_token_data))
        given = self._runtime.llama_token_data_array(pointer, len(tokens), -1, False)
        self._runtime.llama_sampler_apply(self._grammar, ctypes.byref(given))
        logits_left: NDArray[np.float32] = candidates["logit"]
        return logits_left

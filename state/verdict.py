"""What a description turns out to be when it is read as a whole."""

from typing import Literal

Verdict = Literal[
    "sequential decision problem",
    "one-shot optimisation",
    "prediction task",
    "contradiction",
    "too little to simulate",
    "no description",
]

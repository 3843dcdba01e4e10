"""Asking a host, a process in which generated code runs, and answering as one."""

import sys
from collections.abc import Callable
from typing import Any, Protocol

from sandbox.programs.faults import AnswerInvalid, Fault, ForeignCodeRaised, mapping
from sandbox.programs.wire import Garbled, OtherSideEnded, Wire, decode, encode

Answer = Callable[..., Any]


class Ask(Protocol):
    """Asks a host for something by name, with plain data as arguments.

    Raises:
        ForeignCodeRaised: the generated code raised something.
        AnswerInvalid: the answer has another form than every answer has.
        OtherSideEnded: the host is not there any more.
    """

    def __call__(self, what: str, /, **arguments: Any) -> Any:
        """The answer."""


def over(wire: Wire, name: str) -> Ask:
    """Asks the host of that name at the other end of ``wire``."""

    def ask(what: str, /, **arguments: Any) -> Any:
        try:
            wire.send_message(encode({"what": what, "arguments": arguments}))
            return _unpacked(wire.receive())
        except OtherSideEnded as error:
            raise OtherSideEnded(f"the process of the {name} ended before its time") from error
        except Garbled as error:
            raise AnswerInvalid(f"the process of the {name} is not understood: {error}") from error

    return ask


def in_this_process(answers: dict[str, Answer]) -> Ask:
    """Asks a host that lives here, in the words that it would be asked from afar."""

    def ask(what: str, /, **arguments: Any) -> Any:
        asked = decode(encode({"what": what, "arguments": arguments}))
        return _unpacked(decode(_answered(answers, asked)))

    return ask


def _unpacked(answer: Any) -> Any:
    fields = mapping(answer)
    if "fault" in fields:
        raise ForeignCodeRaised(Fault.from_plain(fields["fault"]))
    if "answer" not in fields:
        raise AnswerInvalid("an answer holds neither an answer nor a fault")
    return fields["answer"]


def _answered(answers: dict[str, Answer], asked: Any) -> bytes:
    try:
        return encode({"answer": answers[asked["what"]](**asked["arguments"])})
    except Exception as error:  # whatever the generated code raises
        return encode({"fault": Fault.of(error).as_plain()})


def serve(answers: dict[str, Answer]) -> None:
    """Answer on the descriptor that is the program's first argument until nobody asks any more."""
    wire = Wire(int(sys.argv[1]))
    try:
        while True:
            wire.send_message(_answered(answers, wire.receive()))
    except OtherSideEnded:
        return


def hosts_of_arguments() -> dict[str, Ask]:
    """The hosts that the program's arguments name, each as NAME=DESCRIPTOR."""
    pairs = (argument.partition("=") for argument in sys.argv[1:])
    return {name: over(Wire(int(descriptor)), name) for name, _, descriptor in pairs}

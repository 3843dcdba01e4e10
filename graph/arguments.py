"""The command line's arguments, read without loading anything heavy."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NoReturn

from graph.context import RunContext

EXIT_CODES = """\
exit codes:
  0    a policy was trained and is better than random beyond its interval
  1    the run finished without such a policy; with --check: something was found
  2    usage or bad input, or a description that is none or leaves something open
  3    the run waits for a person (how to resume is printed)
  4    the model or its provider failed, or the tokens are used up
  5    the generated code never passed its checks
  70   the program itself failed (details are in the run folder)
  130  interrupted (how to resume is printed)
"""


DEEDS = (
    "task", "describe", "resume", "runs", "show", "history", "fork", "revise", "check",
    "list_tasks", "fetch_local_model", "doctor",
)  # fmt: skip

FEWEST_CHARACTERS = 4
"""Of a thread's id, to be taken for the beginning of one."""
_ID = re.compile(rf"[0-9a-f-]{{{FEWEST_CHARACTERS},36}}")

BEGIN_NOTHING = frozenset(("runs", "show", "history", "list_tasks", "fetch_local_model", "doctor"))

GOES_WITH: dict[str, tuple[tuple[str, ...], str]] = {
    "answer": (("resume",), "it answers a run that waits"),
    "answer_file": (("resume",), "it answers a run that waits"),
    "at": (("fork",), "it names the step to begin from"),
    "edit": (("fork",), "it changes the specification at that step"),
}


class UsageError(Exception):
    """Something that the caller must change; the message is one sentence."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see --help)")


@dataclass(frozen=True)
class Arguments:
    """What was asked for; one of the first eleven is set, or ``resume`` with ``describe``.

    ``revise`` holds a thread id and a remark.

    ``chosen`` holds the fields of :class:`RunContext` that were given, and no others.
    """

    task: str | None = None
    describe: str | None = None
    resume: str | None = None
    check: str | None = None
    runs: bool = False
    show: str | None = None
    history: str | None = None
    fork: str | None = None
    revise: list[str] | None = None
    list_tasks: bool = False
    fetch_local_model: bool = False
    doctor: bool = False
    out: str | None = None
    at: int | None = None
    edit: str | None = None
    checkpoint_db: str | None = None
    answer: str | None = None
    answer_file: str | None = None
    json: bool = False
    chosen: dict[str, Any] = field(default_factory=dict)

    def context(self) -> RunContext:
        """The run context of a new run.

        Raises:
            UsageError: an option is out of its range.
        """
        try:
            return RunContext(**self.chosen, task=self.task)
        except ValueError as error:
            raise UsageError(str(error)) from error


def parse_arguments(argv: Sequence[str]) -> Arguments:
    """Read ``argv``; ``--help`` prints and ends the program.

    Raises:
        UsageError: the arguments do not fit together, or an option is out of its range.
    """
    given = vars(_parser().parse_args(argv))
    chosen = given.pop("chosen", {})
    arguments = Arguments(**given, chosen=chosen)
    _fit_together(arguments)
    arguments.context()
    return arguments


def _fit_together(arguments: Arguments) -> None:
    """See that no option is empty, or stands without the one that it goes with."""
    for option in fields(Arguments):
        value = getattr(arguments, option.name)
        if value == "" or (isinstance(value, list) and "" in value):
            raise UsageError(f"{_option(option.name)} needs a value, not an empty one")
    for name, value in arguments.chosen.items():
        if isinstance(value, str) and not value.strip(" ,"):
            raise UsageError(f"{_option(name)} needs a value, not an empty one")
    done = [name for name in DEEDS if getattr(arguments, name) not in (None, False)]
    if not done:
        options = " ".join(_option(name) for name in DEEDS)
        raise UsageError(f"one of {options} is required (see --help)")
    if len(done) > 1 and set(done) != {"describe", "resume"}:
        raise UsageError(f"{_option(done[1])} is not allowed with {_option(done[0])} (see --help)")
    for name, (others, why) in GOES_WITH.items():
        if getattr(arguments, name) is not None and not set(done) & set(others):
            raise UsageError(f"{_option(name)} goes with {_option(others[0])}: {why}")
    for given in (arguments.resume, arguments.show, arguments.history, arguments.fork):
        _is_id(given)
    _is_id(arguments.revise[0] if arguments.revise else None)
    if arguments.fork is not None and arguments.at is None:
        raise UsageError("--fork needs --at STEP; --history lists the steps of a thread")
    if set(done) & BEGIN_NOTHING and (arguments.chosen or arguments.out):
        raise UsageError(f"{_option(done[0])} begins no run; options of a run do not go with it")
    if arguments.check is not None and arguments.out is not None:
        raise UsageError("--out does not go with --check: it begins no run")
    if {"correct", "no_error_correction"} <= set(arguments.chosen):
        raise UsageError("--correct does not go with --no-error-correction, which reviews nobody")
    if arguments.resume is not None and arguments.out is not None:
        raise UsageError("--out does not go with --resume: a resumed run keeps its folder")


def _is_id(given: str | None) -> None:
    """See that ``given`` can be the beginning of a thread's id."""
    if given is not None and not _ID.fullmatch(given.strip().lower()):
        raise UsageError(
            f"{given[:80]!r} is no thread id; they are UUIDs, of which the first "
            f"{FEWEST_CHARACTERS} characters may be enough"
        )


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


class _Choose(argparse.Action):
    """Collects the options that make up the run context, if they are given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        chosen = dict(getattr(namespace, "chosen", {}))
        chosen[self.dest] = True if self.nargs == 0 else values
        namespace.chosen = chosen


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m graph.run",
        description="From a problem in plain words to a trained policy.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    what = parser.add_argument_group("what to do, one of")
    what.add_argument("--task", metavar="NAME", help="a built-in task, see --list-tasks")
    what.add_argument("--describe", metavar="FILE", help="a description in words; - reads stdin")
    what.add_argument("--resume", metavar="ID", help="go on with a run that was left")
    what.add_argument(
        "--check", metavar="DIR", help="check the spec.json and environment.py in a folder"
    )
    what.add_argument("--runs", action="store_true", help="list all runs and how they stand")
    what.add_argument("--show", metavar="ID", help="tell what a run has made, and where it stands")
    what.add_argument("--history", metavar="ID", help="list the steps of a run")
    what.add_argument("--fork", metavar="ID", help="a new run from a step of another, see --at")
    what.add_argument(
        "--revise",
        nargs=2,
        metavar=("ID", "REMARK"),
        help="a new run in which only what the remark touches is done again",
    )
    what.add_argument("--list-tasks", action="store_true", help="name the built-in tasks")
    what.add_argument("--doctor", action="store_true", help="try what isolation this machine gives")
    what.add_argument(
        "--fetch-local-model", action="store_true", help="get the local model's weights once"
    )
    parser.add_argument(
        "--at", type=int, metavar="STEP", help="with --fork: the step, as --history counts them"
    )
    parser.add_argument(
        "--edit", metavar="FILE", help="with --fork: pieces of a spec.json that replace those there"
    )
    parser.add_argument(
        "--checkpoint-db",
        metavar="PLACE",
        help="where runs are kept: a file or postgresql://... (default: runs/checkpoints.sqlite)",
    )
    parser.add_argument("--out", metavar="DIR", help="run folder, new or empty (default: runs/...)")
    answer = parser.add_mutually_exclusive_group()
    answer.add_argument("--answer", metavar="TEXT", help="with --resume: answer to its question")
    answer.add_argument(
        "--answer-file", metavar="FILE", help="with --resume: file with the answer; - reads stdin"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object last on stdout")
    _add_choices(parser)
    return parser


def _add_choices(parser: argparse.ArgumentParser) -> None:
    def choice(option: str, help_text: str, **how: Any) -> None:
        parser.add_argument(option, action=_Choose, help=help_text, **how)

    choice(
        "--model",
        "auto (default), recorded, local, openai:NAME or ollama:NAME",
        metavar="MODEL",
    )
    choice("--base-url", "address of an OpenAI-compatible or Ollama server", metavar="URL")
    choice("--seed", "seed of everything that is drawn (default 0)", type=int, metavar="N")
    choice(
        "--algorithm",
        "auto (default), dqn, qr-dqn, ppo, maskable-ppo, sac, td3, additive, factored, "
        "imitation, planning or exact",
        metavar="NAME",
    )
    choice("--steps", "steps of a training at most", type=int, metavar="N")
    choice("--time-budget", "seconds of training at most", type=float, metavar="SECONDS")
    choice(
        "--without",
        "methods and remedies that training is not to use, with commas between them",
        metavar="NAMES",
    )
    choice(
        "--threshold",
        "confidence under which a part of an answer is in doubt (default 0.8)",
        type=float,
        metavar="SCORE",
    )
    choice(
        "--max-reexaminations",
        "times an agent looks again at what is in doubt (default 2)",
        type=int,
        metavar="N",
    )
    choice(
        "--correct",
        "agents whose answers are reviewed, with commas between them",
        metavar="AGENTS",
    )
    choice("--no-error-correction", "review no agent's answer", nargs=0)
    choice(
        "--clarify",
        "what is done about what the description leaves open: ask (default), assume or fail",
        metavar="HOW",
    )
    choice(
        "--approve",
        "what a person is to approve: none (default), or spec, code, policy with commas",
        metavar="GATES",
    )
    choice("--max-debug", "correction rounds at most (default 5)", type=int, metavar="N")
    choice("--max-tokens", "tokens that may be spent on model calls", type=int, metavar="N")
    choice("--double-check", "have a step worked out a second time and compare", nargs=0)
    choice("--no-heuristic", "ask for no rule of thumb before training", nargs=0)
    choice(
        "--unsafe-no-sandbox",
        "run generated code without isolation where there is none",
        nargs=0,
    )

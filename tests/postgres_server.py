"""A real PostgreSQL server of a test's own, on a socket in a folder of its own."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PLACES = ["/usr/lib/postgresql/*/bin", "/usr/local/bin", "/usr/bin"]


def server_programs() -> tuple[str, str] | None:
    """``initdb`` and ``postgres``, or None where they are not installed."""
    found = [shutil.which(name) or _below_lib(name) for name in ("initdb", "postgres")]
    return (found[0], found[1]) if found[0] and found[1] else None


def _below_lib(name: str) -> str | None:
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(versions[-1]) if versions else None


def missing() -> str:
    """Why no server can be started here, or an empty string."""
    if server_programs() is None:
        return "PostgreSQL is not installed: apt-get install postgresql"
    if os.geteuid() == 0 and _unprivileged() is None:
        return "PostgreSQL does not run as root, and there is no other user"
    return ""


def _unprivileged() -> str | None:
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None)


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a server that is started for the block and has one empty database."""
    programs = server_programs()
    assert programs is not None
    initdb, postgres = programs
    user = _unprivileged() if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if user is not None:
            shutil.chown(folder, user)
        data = folder / "data"
        common = {"cwd": folder, "user": user, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}}
        subprocess.run(
            [initdb, "-D", str(data), "-U", "me", "-A", "trust", "--no-sync", "-E", "UTF8"],
            check=True,
            capture_output=True,
            timeout=60,
            **common,
        )
        settings = ["listen_addresses=", "fsync=off", f"unix_socket_directories={folder}"]
        words = [word for setting in settings for word in ("-c", setting)]
        with (folder / "log").open("w") as log:
            server = subprocess.Popen(
                [postgres, "-D", str(data), *words], stdout=log, stderr=log, **common
            )
        try:
            _wait_for(folder / ".s.PGSQL.5432", server)
            yield f"postgresql://me:word@/postgres?host={folder}"
        finally:
            server.terminate()
            server.wait(timeout=30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(socket: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while not socket.exists():
        if server.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the server did not start: {(socket.parent / 'log').read_text()}")
        time.sleep(0.05)
    time.sleep(0.2)

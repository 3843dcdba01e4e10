"""A real development server for the graph, as LangGraph Studio talks to it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from tests.command_line import PROJECT, environment

SECONDS_TO_START = 90


@contextmanager
def studio_server(folder: Path, checkpoints: Path) -> Iterator[SyncLangGraphClient]:
    """Start ``langgraph dev`` on the project's langgraph.json and give a client of it.

    It works in ``folder``, where its log is ``server.log``, and is gone afterwards.
    """
    shutil.copy(PROJECT / "langgraph.json", folder)
    port = _free_port()
    variables = {"A_LAMP_CHECKPOINTS": str(checkpoints), "LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload",
             "--host", "127.0.0.1", "--port", str(port)],
            cwd=folder,
            env=environment(folder, **variables),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(address, process, folder / "server.log")
        with get_sync_client(url=address) as client:
            yield client
    finally:
        _end(process)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{address}/ok", timeout=2).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError(f"the server did not start:\n{log.read_text()[-3000:]}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(20)

"""Other circumstances in which this project may be run, made for one command."""

import ctypes
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ORDINARY = 23456


def run_without_namespaces(code: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Python code in circumstances like those of most containers.

    There are no capabilities, and every call that makes namespaces or mounts is refused.
    """
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=110,
        preexec_fn=_deny_namespaces,
    )


def _deny_namespaces() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(64):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capset(header, none) == 0
    program = _filter()
    kept = ctypes.create_string_buffer(program, len(program))
    filter_program = struct.pack("HP", len(program) // 8, ctypes.addressof(kept))
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert libc.prctl(22, 2, filter_program, 0, 0) == 0, ctypes.get_errno()  # PR_SET_SECCOMP


def _filter() -> bytes:
    def step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("=HBBI", code, if_true, if_false, value)

    number, first_argument = step(0x20, 0), step(0x20, 16)
    refused, allowed = step(0x06, 0x00050001), step(0x06, 0x7FFF0000)
    steps = [number]
    for call in (165, 166, 155, 272, 308):  # mount, umount2, pivot_root, unshare, setns
        steps += [step(0x15, call, 0, 1), refused]
    steps += [step(0x15, 435, 0, 1), step(0x06, 0x00050026)]  # clone3: no such call
    steps += [step(0x15, 56, 0, 3), first_argument, step(0x45, 0x7E020000, 0, 1), refused]
    return b"".join([*steps, allowed])


def ordinary_user_command(code: str, *arguments: str) -> list[str] | None:
    """The command that runs Python code as an ordinary user; None where root cannot become one.

    What only root may pass through on the way to the interpreter is opened to that user in mounts
    of its own.
    """
    if shutil.which("unshare") is None or shutil.which("setpriv") is None:
        return None
    closed = [
        folder
        for path in (sys.executable, os.path.realpath(sys.executable), str(ROOT))
        for folder in Path(path).parents
        if not folder.stat().st_mode & 0o001
    ]
    kept = {child for folder in closed for child in _on_the_way(folder)}
    script = "set -e\n"
    for count, child in enumerate(sorted(kept)):
        script += f"mkdir -p /mnt/kept-{count}; mount --bind '{child}' /mnt/kept-{count}\n"
    for folder in dict.fromkeys(closed):
        script += f"mount -t tmpfs -o mode=755 none '{folder}'\n"
    for count, child in enumerate(sorted(kept)):
        script += f"mkdir -p '{child}'; mount --bind /mnt/kept-{count} '{child}'\n"
    script = "mount -t tmpfs none /mnt\n" + script if kept else script
    script += f'exec setpriv --reuid {ORDINARY} --regid {ORDINARY} --clear-groups -- "$@"'
    return ["unshare", "-m", "sh", "-c", script, "sh", sys.executable, "-c", code, *arguments]


def _on_the_way(folder: Path) -> set[Path]:
    paths = (sys.executable, os.path.realpath(sys.executable), str(ROOT))
    below = (Path(path) for path in paths)
    return {folder / p.relative_to(folder).parts[0] for p in below if p.is_relative_to(folder)}

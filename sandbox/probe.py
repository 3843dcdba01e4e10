"""Program: tries to get out of a sandbox, and prints a JSON list of what it achieved.

Arguments: a folder beside its own that holds a file ``secret``, the port of a server on this
machine, and the number of a process that is none of its business.
"""

import json
import os
import socket
import sys
from collections.abc import Callable


def _attempts(outside: str, port: int, bystander: int) -> dict[str, Callable[[], object]]:
    return {
        "open connections": lambda: socket.create_connection(("127.0.0.1", port), 5),
        "read files of others": lambda: open(os.path.join(outside, "secret")).read(),
        "write outside its folder": lambda: open(os.path.join(outside, "mark"), "w"),
        "signal other processes": lambda: os.kill(bystander, 0),
        "see the environment of others": lambda: open(f"/proc/{bystander}/environ").read(),
        "make namespaces": _unshare,
    }


def _unshare() -> None:
    import ctypes

    new_user_namespace = 0x10000000
    if ctypes.CDLL(None, use_errno=True).unshare(new_user_namespace) != 0:
        raise OSError(ctypes.get_errno(), "unshare failed")


def _main() -> None:
    achieved = []
    for what, attempt in _attempts(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])).items():
        try:
            attempt()
        except OSError:
            continue
        achieved.append(what)
    print(json.dumps(achieved))


if __name__ == "__main__":
    _main()

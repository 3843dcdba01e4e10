"""What of this machine a Python program needs to see: the interpreter and its libraries."""

import os
import sys
import sysconfig
from pathlib import Path

from sandbox.bubblewrap import Mount

# Where dynamic linking looks, and what numerical libraries ask about the processors.
_SYSTEM_FOLDERS = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime", "/sys/devices/system/cpu")

_THREADS = str(min(4, os.cpu_count() or 1))
_FIXED_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",  # noqa: S108 - the sandbox's own, in memory
    "TMPDIR": "/tmp",  # noqa: S108
    "USER": "nobody",
    "LOGNAME": "nobody",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "Agg",
    "CUDA_VISIBLE_DEVICES": "",
}
_THREAD_COUNTS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# How OpenBLAS is told which processor it runs on, where its own guess is wrong.
_PASSED_ON = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "TZ")


# As isolated as `-I`, of which this is all but "ignore the environment": that is ours, and fixes
# the order of sets.
COMMAND = (sys.executable, "-P", "-s", "-B")


def environment() -> dict[str, str]:
    """The variables that a contained program gets; nothing else of ours passes."""
    threads = {name: os.environ.get(name, _THREADS) for name in _THREAD_COUNTS}
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**_FIXED_ENVIRONMENT, **threads, **passed}


def _python_folders() -> list[str]:
    prefixes = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    found = [
        os.path.join(prefix, name) for prefix in prefixes for name in ("lib", "lib64", "pyvenv.cfg")
    ]
    paths = sysconfig.get_paths()
    found += [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return found


def read_only_mounts() -> list[Mount]:
    """The interpreter and its libraries, folders before what they hold.

    A path reached through links appears both under the name in use and under its real one, since
    interpreters and linkers record either.
    """
    wanted = [
        *_SYSTEM_FOLDERS,
        *_SYSTEM_FILES,
        *_python_folders(),
        os.path.realpath(sys.executable),
    ]
    mounts = {
        Mount(Path(os.path.realpath(path)), place)
        for path in wanted
        if os.path.exists(path)
        for place in (os.path.abspath(path), os.path.realpath(path))
    }
    chosen: list[Mount] = []
    for mount in sorted(mounts, key=lambda mount: (mount.place.count("/"), mount.place)):
        if not any(_shows(earlier, mount) for earlier in chosen):
            chosen.append(mount)
    return chosen


def _shows(outer: Mount, inner: Mount) -> bool:
    if not Path(inner.place).is_relative_to(outer.place):
        return False
    return outer.source / Path(inner.place).relative_to(outer.place) == inner.source


def links() -> list[tuple[str, str]]:
    """Pairs (target, place): the name under which the interpreter is started, if it is a link.

    It stays a link, since an interpreter may look for its library by its own real place.
    """
    named, real = os.path.abspath(sys.executable), os.path.realpath(sys.executable)
    return [] if named == real else [(real, named)]

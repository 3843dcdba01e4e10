"""How checkpoints are written: the state's own types, compressed.

Every checkpoint holds the whole state again; compressed, a run takes a quarter of the room.
"""

import pkgutil
import zlib
from enum import Enum
from importlib import import_module

from langgraph.checkpoint.serde.base import CipherProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel

import state

LARGEST_VALUE = 256 * 1024 * 1024


class Compression(CipherProtocol):
    """Compression in the place where LangGraph lets values be encrypted."""

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        """Return the name of the method and the compressed bytes."""
        return "zlib", zlib.compress(plaintext, 9)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        """Return the bytes as they were.

        Raises:
            ValueError: they were compressed by another method, or are cut off or far too long.
            zlib.error: they are broken.
        """
        if ciphername != "zlib":
            raise ValueError(f"a checkpoint is written as {ciphername}, which is not known here")
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(ciphertext, LARGEST_VALUE)
        if not unpacking.eof:
            raise ValueError("a checkpoint is cut off or far too long")
        return plain


def serializer() -> EncryptedSerializer:
    """Serializer that restores the state's own types and nothing else that it does not know.

    What was written without compression is read as well.
    """
    types = JsonPlusSerializer(allowed_msgpack_modules=state_types())
    return EncryptedSerializer(Compression(), types)


def state_types() -> list[tuple[str, str]]:
    """Module and name of every type that the state may carry, from the ``state`` package."""
    modules = [
        import_module(f"state.{found.name}") for found in pkgutil.iter_modules(state.__path__)
    ]
    return sorted(
        (module.__name__, name)
        for module in modules
        for name, kind in vars(module).items()
        if isinstance(kind, type)
        and issubclass(kind, (BaseModel, Enum))
        and kind.__module__ == module.__name__
    )

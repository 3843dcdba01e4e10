import errno
import struct

import pytest

from sandbox.seccomp import seccomp_filter

X86, ARM = ("x86_64", 0xC000003E), ("aarch64", 0xC00000B7)
ALLOW, KILL = 0x7FFF0000, 0x80000000


def decide(machine: tuple[str, int], number: int, *arguments: int, audit: int = 0) -> int:
    """Interprets the filter as the kernel would."""
    code = list(struct.iter_unpack("=HBBI", seccomp_filter(machine[0])))
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, audit or machine[1], 0, *padded)
    accumulator, at = 0, 0
    while True:
        opcode, if_true, if_false, value = code[at]
        at += 1
        if opcode == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif opcode == 0x06:
            return int(value)
        else:
            holds = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[opcode]
            at += if_true if holds else if_false


def refused_with(code: int) -> int:
    return 0x00050000 | code


@pytest.mark.parametrize(
    ("machine", "number"),
    [(X86, 101), (X86, 165), (X86, 272), (X86, 425), (X86, 321), (X86, 250), (ARM, 117), (ARM, 40)],
    ids=["ptrace", "mount", "unshare", "io_uring", "bpf", "keyctl", "arm-ptrace", "arm-mount"],
)
def test_dangerous_calls_are_refused(machine: tuple[str, int], number: int) -> None:
    assert decide(machine, number) == refused_with(errno.EPERM)


@pytest.mark.parametrize(
    ("machine", "number"),
    [(X86, 0), (X86, 1), (X86, 9), (X86, 59), (X86, 53), (ARM, 63), (ARM, 64), (ARM, 221)],
    ids=["read", "write", "mmap", "execve", "socketpair", "arm-read", "arm-write", "arm-execve"],
)
def test_ordinary_calls_pass(machine: tuple[str, int], number: int) -> None:
    assert decide(machine, number) == ALLOW


@pytest.mark.parametrize(("machine", "clone"), [(X86, 56), (ARM, 220)])
def test_clone_makes_processes_and_threads_but_no_namespaces(
    machine: tuple[str, int], clone: int
) -> None:
    fork, thread = 0x01200011, 0x003D0F00
    assert decide(machine, clone, fork) == ALLOW
    assert decide(machine, clone, thread) == ALLOW
    for bit in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert decide(machine, clone, fork | bit) == refused_with(errno.EPERM)


@pytest.mark.parametrize(("machine", "number"), [(X86, 41), (ARM, 198)])
def test_sockets_are_unix_sockets(machine: tuple[str, int], number: int) -> None:
    assert decide(machine, number, 1) == ALLOW
    for family in (2, 10, 16, 17, 38, 40):
        assert decide(machine, number, family) == refused_with(errno.EACCES)


def test_clone3_seems_absent_so_that_its_hidden_flags_cannot_pass() -> None:
    assert decide(X86, 435) == refused_with(errno.ENOSYS)


def test_other_call_tables_of_the_machine_are_closed() -> None:
    assert decide(X86, 0, audit=0x40000003) == KILL
    assert decide(X86, 0x40000000 | 101) == refused_with(errno.ENOSYS)


def test_typing_into_the_terminal_is_refused() -> None:
    assert decide(X86, 16, 0, 0x5412) == refused_with(errno.EPERM)
    assert decide(X86, 16, 0, 0x5401) == ALLOW


def test_unknown_machine_is_named() -> None:
    with pytest.raises(NotImplementedError, match="'sparc'"):
        seccomp_filter("sparc")

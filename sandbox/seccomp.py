"""The system calls that a contained program is refused, as a classic BPF filter.

A list of what is denied, not of what is allowed: numerical libraries differ too much in what they
call for the latter to hold across versions. Namespaces do most of the containing; this filter
takes away the kernel's less travelled entrances and every way to make new namespaces.

Source: seccomp(2), linux/seccomp.h, linux/bpf_common.h; numbers from arch/x86/entry/syscalls/
syscall_64.tbl and include/uapi/asm-generic/unistd.h.
"""

import errno
import platform
import socket
import struct
from typing import NamedTuple

# Opcodes: load a word of seccomp_data, jump if equal / greater or equal / any bit set, return.
_LOAD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_GREATER_EQUAL = 0x35
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06

# Offsets into struct seccomp_data. Arguments are 64 bits; both machines here are little-endian,
# so the low word comes first.
_NUMBER = 0
_ARCHITECTURE = 4
_FIRST_ARGUMENT = 16
_SECOND_ARGUMENT = 24

_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_FAIL_WITH = 0x00050000

# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET (NEWTIME shares its bit with the
# exit signal of clone and can only be asked for through clone3 and unshare).
_NEW_NAMESPACES = 0x7E020000
_X32_BIT = 0x40000000
# TIOCSTI and TIOCLINUX push characters into a terminal that the program may share with a person.
_TERMINAL_INJECTION = (0x5412, 0x541C)


class _Machine(NamedTuple):
    audit_architecture: int
    column: int


_MACHINES = {"x86_64": _Machine(0xC000003E, 0), "aarch64": _Machine(0xC00000B7, 1)}

# name: (x86_64, aarch64); None where the machine has no such call.
_DENIED: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    # keys
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # the kernel's larger interfaces
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "vmsplice": (278, 75),
    # the machine itself
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "create_module": (174, None),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "personality": (135, 92),
    "lookup_dcookie": (212, 18),
    "vhangup": (153, 58),
    "set_mempolicy": (238, 237),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "mbind": (237, 235),
    # memory that no process shows as its own, and so no limit counts
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "mlock": (149, 228),
    "mlock2": (325, 284),
    "mlockall": (151, 230),
}

# What read-only mounts would deny, and Landlock does not look at: changing the marks of files,
# whoever may not write them.
_DENIED_WITHOUT_MOUNTS: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "lchown": (94, None),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}

# Answered with "no such call", for which the C library has another way.
_ABSENT: dict[str, tuple[int, int]] = {
    "clone3": (435, 435),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
}

_CLONE = (56, 220)
_SOCKET = (41, 198)
_IOCTL = (16, 29)


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse(code: int) -> bytes:
    return _instruction(_RETURN, _FAIL_WITH | code)


def _when_number_is(number: int, body: list[bytes]) -> list[bytes]:
    """Run `body` for one call; it must return or end with the call number loaded again."""
    return [_instruction(_JUMP_EQUAL, number, 0, len(body)), *body]


def seccomp_filter(machine: str | None = None, *, without_mounts: bool = False) -> bytes:
    """The filter as an array of struct sock_filter, as bubblewrap reads it.

    `without_mounts` denies besides what only mounts of its own would keep a program from.

    Raises NotImplementedError for a machine whose call numbers are not known here.
    """
    name = platform.machine() if machine is None else machine
    if name not in _MACHINES:
        raise NotImplementedError(
            f"no system call filter is known for the machine type {name!r};"
            f" it exists for {', '.join(_MACHINES)}"
        )
    architecture, column = _MACHINES[name]
    allow, reload = _instruction(_RETURN, _ALLOW), _instruction(_LOAD, _NUMBER)
    program = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_JUMP_EQUAL, architecture, 1, 0),
        _instruction(_RETURN, _KILL_PROCESS),
        reload,
    ]
    if name == "x86_64":
        program += [_instruction(_JUMP_GREATER_EQUAL, _X32_BIT, 0, 1), _refuse(errno.ENOSYS)]
    denied = {**_DENIED, **(_DENIED_WITHOUT_MOUNTS if without_mounts else {})}
    for numbers in denied.values():
        number = numbers[column]
        if number is not None:
            program += _when_number_is(number, [_refuse(errno.EPERM)])
    for present in _ABSENT.values():
        program += _when_number_is(present[column], [_refuse(errno.ENOSYS)])
    program += _when_number_is(
        _CLONE[column],
        [
            _instruction(_LOAD, _FIRST_ARGUMENT),
            _instruction(_JUMP_ANY_BIT, _NEW_NAMESPACES, 0, 1),
            _refuse(errno.EPERM),
            allow,
        ],
    )
    program += _when_number_is(
        _SOCKET[column],
        [
            _instruction(_LOAD, _FIRST_ARGUMENT),
            _instruction(_JUMP_EQUAL, socket.AF_UNIX, 1, 0),
            _refuse(errno.EACCES),
            allow,
        ],
    )
    program += _when_number_is(
        _IOCTL[column],
        [
            _instruction(_LOAD, _SECOND_ARGUMENT),
            _instruction(_JUMP_EQUAL, _TERMINAL_INJECTION[0], 1, 0),
            _instruction(_JUMP_EQUAL, _TERMINAL_INJECTION[1], 0, 1),
            _refuse(errno.EPERM),
            allow,
        ],
    )
    program.append(allow)
    return b"".join(program)

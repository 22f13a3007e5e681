"""Walls around a Linux process: namespaces, a root of its own, no privileges, limits.

Only the standard library, and only what works after a fork: `sandbox_server` calls these in the
processes of the sandbox. Every function raises OSError where the kernel refuses.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x00020000,
    0x04000000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
MNT_DETACH = 2
SYS_MOUNT_SETATTR = 442
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 1, 2
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
CAPABILITY_VERSION = 0x20080522
NOBODY = 65534
SIGKILL = 9

SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt", "/nix/store")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
FILES = ("/etc/ld.so.cache",)
BOX = "/box"

_libc = ctypes.CDLL(None, use_errno=True)


def isolate() -> None:
    """Moves this process, which must have one thread, behind the walls: no network but a loopback
    that is down, its own IPC and host name, and a read-only root with the system's programs,
    this Python and four devices, nothing of `/home`, `/etc`, `/proc` or `/tmp`."""
    _enter_user_namespace()
    _call("unshare", NEWNS | NEWNET | NEWIPC | NEWUTS)
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    # Any folder that is always there will do; sources of binds never lie below this one.
    root = "/proc"
    _mount("tmpfs", root, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755")
    for path in (*SYSTEM, *DEVICES, *FILES, *_python_folders()):
        _show(path, root)
    os.makedirs(root + BOX)
    _read_only(root)
    os.chdir(root)
    _call("pivot_root", b".", b".")
    _call("umount2", b".", ctypes.c_ulong(MNT_DETACH))
    os.chdir("/")


def new_process_tree() -> None:
    """Children of this process, from now on, get a process table, mounts and IPC of their own; the
    first one is the table's init, whose end kills all that are in it."""
    _call("unshare", NEWPID | NEWNS | NEWIPC)


def open_box(size: int) -> None:
    """Puts an empty folder of so many bytes, which ends with its mount namespace, at `BOX`."""
    options = f"size={size},nr_inodes=4096,mode=777"
    _mount("tmpfs", BOX, "tmpfs", MS_NOSUID | MS_NODEV, options)
    os.chdir(BOX)


def drop_privileges(mapped_nobody: bool) -> None:
    """No capability, now or through any later exec.

    Args:
        mapped_nobody: become NOBODY first; where root's own limits would not bind it.
    """
    if mapped_nobody:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    _call("capset", header, (ctypes.c_uint32 * 6)())


def die_with_parent() -> None:
    """SIGKILL for this process when its parent ends; to be called after `drop_privileges`."""
    _prctl(PR_SET_PDEATHSIG, SIGKILL)


def adopt_orphans() -> None:
    """Descendants whose parent ends become children of this process, in whatever session."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def set_limits(limits: Mapping[str, Any], held: int, processes: int) -> None:
    """Resource limits of this process and each of its descendants.

    Args:
        limits: the fields of `sandbox.Limits`.
        held: address space, in bytes, that the process has already.
        processes: how many this user may have in all; not enforced for the machine's root.
    """
    cpu = limits["cpu_seconds"]
    memory = held + limits["memory_mb"] * 2**20
    for name, soft, hard in (
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_FSIZE, limits["file_mb"] * 2**20, limits["file_mb"] * 2**20),
        (resource.RLIMIT_NPROC, processes, processes),
        (resource.RLIMIT_NOFILE, 64, 64),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        most = resource.getrlimit(name)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(name, (soft, hard))


def address_space() -> int:
    """Bytes of address space of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def _enter_user_namespace() -> None:
    """A user namespace. Root maps itself and NOBODY; anyone else becomes its root.

    The maps are written by a helper that stays outside, since only there root may map a second id.
    """
    reader, writer = os.pipe()
    target = os.getpid()
    helper = os.fork()
    if helper == 0:
        os.close(writer)
        status = 1
        try:
            if os.read(reader, 1):
                _write_maps(target)
                status = 0
        finally:
            os._exit(status)
    os.close(reader)
    try:
        _call("unshare", NEWUSER)
        os.write(writer, b"x")
    finally:
        os.close(writer)
        _, status = os.waitpid(helper, 0)
    if status:
        raise PermissionError("the user ids of a new namespace could not be mapped")


def _write_maps(target: int) -> None:
    folder = Path(f"/proc/{target}")
    if os.geteuid() == 0:
        maps = dict.fromkeys(("uid_map", "gid_map"), f"0 0 1\n{NOBODY} {NOBODY} 1\n")
    else:
        (folder / "setgroups").write_text("deny")
        maps = {"uid_map": f"0 {os.geteuid()} 1\n", "gid_map": f"0 {os.getegid()} 1\n"}
    for name, content in maps.items():
        (folder / name).write_text(content)


def _python_folders() -> Iterable[str]:
    kept = ("site-packages", "dist-packages", "lib-dynload")
    packages = [path for path in sys.path if Path(path).name in kept]
    wanted = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, *packages}
    return sorted(wanted | {os.path.realpath(path) for path in wanted})


def _show(path: str, root: str) -> None:
    """Binds a path of the old root into the new one, unless what is there shows it already."""
    target = root + path
    if not os.path.lexists(path) or os.path.lexists(target):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(path):
        os.symlink(os.readlink(path), target)
        return
    if os.path.isdir(path):
        os.mkdir(target)
    else:
        Path(target).touch()
    _mount(path, target, None, MS_BIND | MS_REC)


def _read_only(root: str) -> None:
    attributes = (ctypes.c_uint64 * 4)(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, 0, 0, 0)
    _call(
        "syscall",
        ctypes.c_long(SYS_MOUNT_SETATTR),
        ctypes.c_long(AT_FDCWD),
        root.encode(),
        ctypes.c_long(AT_RECURSIVE),
        attributes,
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )


def _mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    names = [None if text is None else text.encode() for text in (source, target, kind)]
    _call("mount", *names, ctypes.c_ulong(flags), options.encode() or None)


def _prctl(option: int, value: int) -> None:
    _call("prctl", option, ctypes.c_ulong(value), *[ctypes.c_ulong(0)] * 3)


def _call(name: str, *args: Any) -> None:
    if getattr(_libc, name)(*args) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")

"""Attacks by a Python file while it is graded. The suite adds paths before it and a correct solution after it."""

import ctypes
import importlib.util
import os
import signal
import socket
import subprocess
import sys


def deed(what, do):
    try:
        done = do()
        print(f"{what}: {'refused' if done is False else 'DONE'}", flush=True)
    except (OSError, subprocess.SubprocessError, ImportError, ValueError, MemoryError, RuntimeError):
        print(f"{what}: refused", flush=True)


def import_path(path):
    spec = importlib.util.spec_from_file_location("solution", path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def library_call(name, *arguments):
    """True if the C library's function succeeds."""
    return getattr(ctypes.CDLL(None), name)(*arguments) == 0


def write(path):
    with open(path, "w") as file:
        file.write("pwned")


def share_memory():
    import mmap

    return [mmap.mmap(-1, 1 << 30) for _ in range(12)] != []


deed("reading a solution", lambda: open(SOLUTION))
deed("reading it by the folder", lambda: os.listdir(PROJECT + "/solutions"))
deed("importing it by its path", lambda: import_path(SOLUTION))
deed("running it", lambda: exec(open("solutions/lesson27_ctypes/solution.py").read()))
deed("reading another student's file", lambda: open(OTHER))
deed("reading the accounts", lambda: open("/etc/passwd"))
deed("reading the teacher's key", lambda: open(KEY))
deed("writing the judge's results", lambda: os.write(9, b"{}"))
deed("reading the judge's variables", lambda: open(f"/proc/{os.getppid()}/environ").read())
deed("reading the judge's memory", lambda: open(f"/proc/{os.getppid()}/mem", "rb"))
deed("finding a secret in its variables", lambda: "of-the-teacher" in str(os.environ) + open("/proc/self/environ").read())
deed("writing in /tmp", lambda: write("/tmp/pwned"))
deed("writing beside the file", lambda: write(os.path.join(os.path.dirname(__file__), "pwned")))
deed("writing in the workbook", lambda: write(PROJECT + "/pwned"))
deed("leaving a sitecustomize", lambda: write(os.path.join(sys.prefix, "sitecustomize.py")))
deed("leaving one beside the file", lambda: write(os.path.join(os.path.dirname(__file__), "sitecustomize.py")))
deed("removing a file", lambda: os.remove(SCRATCH + "/mine"))
deed("starting a program", lambda: subprocess.run(["true"]))
deed("starting one by the C library", lambda: library_call("system", b"true"))
deed("starting one in its place", lambda: os.execv("/bin/true", ["true"]))
deed("a second process", os.fork)
deed("opening a socket", lambda: socket.socket())
deed("a socket without a file", lambda: socket.socket(socket.AF_UNIX))
deed("ending the judge", lambda: os.kill(os.getppid(), signal.SIGKILL))
deed("ending everything", lambda: os.kill(-1, signal.SIGKILL))
deed("following the judge", lambda: library_call("ptrace", 16, os.getppid(), None, None))
deed("another user", lambda: os.setuid(1 if os.getuid() == 0 else 0))
deed("mounting", lambda: library_call("mount", b"none", b"/tmp", b"tmpfs", 0, None))
deed("new namespaces", lambda: library_call("unshare", 0x10000000))
deed("too much shared memory", share_memory)
print("VERDICT: pass")
print("\033]0;owned\007::notice::10/10")
print("::notice title=attack::10/10")
print("all deeds tried", flush=True)

"""child.py - the judge's side of the runner in Python: starts it, in a jail as process.cpp does, and exchanges messages with it."""

import fcntl
import mmap
import os
import select
import signal
import socket
import subprocess
import sys
import time

import frames
import numpy
import python_views
from disk_limit import DiskLimit
from time_limit import TimeLimit

HERE = os.path.dirname(os.path.abspath(__file__))
VERIFY = os.path.normpath(os.path.join(HERE, "../../common/verify.py"))
OUTPUT_CAP = 1_000_000  # bytes, as in jailed.h
VARIABLES = (
    "EMULATOR_CHECK",
    "EMULATOR_DEVICES",
    "EMULATOR_TIMEOUT",
    "EMULATOR_THREADS",
    "CUDA_VISIBLE_DEVICES",
    "NO_COLOR",
    "TERM",
)


class Ended(Exception):
    """The conversation has ended before the answer came: `verdict`, and why."""

    def __init__(self, verdict, why):
        super().__init__(why)
        self.verdict = verdict


class Setup:
    """The files of a grading, and its backend."""

    def __init__(self, file, calls, libraries, backend):
        self.file, self.calls, self.libraries, self.backend = file, calls, libraries, backend
        timeout = os.environ.get("TIMEOUT", "")
        seconds = int(timeout) if timeout.isdigit() and int(timeout) > 4 else 20
        self.seconds = seconds + 8 if backend == "cpu" else seconds
        self.library_path = os.environ.get("LD_LIBRARY_PATH", "")
        self.confine = os.path.abspath("build/graders/bin/confine.so")
        self.emulator_python = os.path.abspath("build/emulator/python")  # by which Triton finds the emulator
        with open(calls, encoding="utf-8") as source:
            self.compiles = "\nCOMPILES = True" in source.read()
        self.scratch = os.environ["GRADER_SCRATCH"]  # for what compilers write

    def shown(self):
        """From the machine, Python; from the project, the files that run and the libraries."""
        own = {
            self.file,
            self.calls,
            self.libraries,
            self.confine,
            self.emulator_python,
            HERE,  # runner.py imports from it: without bubblewrap that requires the whole folder
            VERIFY,
            os.path.dirname(numpy.__path__[0]),
        }
        return sorted({*python_views.views(), *own, *filter(os.path.isabs, self.library_path.split(":"))}, key=len)

    def jail(self):
        """The jail adds the system. Files that compilers leave are written to a folder of this grading."""
        words = [os.environ["JAIL"], "--backend", os.environ["JAIL_BACKEND"], "--hide", os.getcwd()]
        for path in self.shown():
            words += ["--see", path]
        if self.compiles:
            words += ["--write", self.scratch]
        return words + (["--gpu"] if self.backend == "gpu" else []) + ["--file", "256", "--"]

    def command(self, descriptor):
        runner = [
            sys.executable,
            "-I",
            "-B",
            "-X",
            "utf8",
            "-u",
            os.path.join(HERE, "runner.py"),
            str(descriptor),
            self.file,
        ]
        runner += [self.calls, self.confine, self.backend, str(self.seconds * 4 + 60), self.libraries]
        return self.jail() + runner

    def environment(self, count):
        """Only variables that the student's code needs. Freed memory is filled, so that a read after the free is
        noticed."""
        kept = {name: os.environ[name] for name in VARIABLES if name in os.environ}
        fixed = {
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": self.scratch if self.compiles else "/tmp",
            "LD_BIND_NOW": "1",
            "EMULATOR_TIER": "0",
            "OPENBLAS_NUM_THREADS": "1",
        }
        ours = {
            "LD_LIBRARY_PATH": self.library_path,
            "CUDA_RUNTIME": os.environ["CUDA_RUNTIME"],
            "MALLOC_PERTURB_": "165",
            "OBJECT_COUNT": str(count),
        }
        if self.compiles:
            ours["EMULATOR_PYTHON"] = self.emulator_python
            ours["TMPDIR"] = self.scratch
        return {**kept, **fixed, **ours}


class Child:
    """One runner. Its output is passed to `hear` in chunks."""

    def __init__(self, setup, hear):
        self.setup, self.hear, self.printed, self.token = setup, hear, 0, os.urandom(16).hex()
        self.start()

    def start(self):
        self.early = []
        self.link, theirs = socket.socketpair()
        output, written = os.pipe()
        made = os.memfd_create("objects")
        count = fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, 100)  # a number that attacks do not try
        os.close(made)
        os.ftruncate(count, mmap.PAGESIZE)
        self.shared = mmap.mmap(count, mmap.PAGESIZE)
        command, environment = self.setup.command(theirs.fileno()), self.setup.environment(count)
        try:
            self.process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=written, stderr=written,
                                            pass_fds=(theirs.fileno(), count), start_new_session=True)  # fmt: skip
        except FileNotFoundError:
            self.process = None
        theirs.close()
        os.close(written)
        os.close(count)
        self.output = output
        os.set_blocking(output, False)
        kept, self.hear = self.hear, self.early.append
        try:
            if self.process is None:
                raise Ended("crash", "no hello")
            self.limit = TimeLimit(self.process.pid, 60)
            self.disk = DiskLimit(self.process.pid, self.setup.scratch) if self.setup.compiles else None
            if not self.receive()[0].get("hello"):
                raise Ended("crash", "no hello")
        except Ended:
            self.hear = kept
            self.stop()
            for text in self.early:
                sys.stderr.buffer.write(text)
            sys.exit("grader: the runner does not start.")
        self.hear = kept

    def listen(self):
        """Reads the output so far."""
        while self.printed < OUTPUT_CAP:
            try:
                piece = os.read(self.output, 65536)
            except BlockingIOError:
                return
            if not piece:
                return
            self.printed += len(piece)
            self.hear(piece)
        raise Ended("crash", "the output was cut after 1 MB: does a loop print?")

    def wait(self, sending):
        """Waits until the link is ready, and reads the output meanwhile."""
        while True:
            if self.limit.reached():
                raise Ended("timeout", "it took too long")
            if self.disk and self.disk.reached():
                raise Ended("crash", "it wrote more than 1 GiB to files")
            to_hear, to_send = ([self.output], [self.link]) if sending else ([self.output, self.link], [])
            heard, free, _ = select.select(to_hear, to_send, [], 0.5)
            self.listen()
            if self.link in heard + free:
                return
            if heard:
                time.sleep(0.001)  # its output is closed, or more will follow

    def take(self, size):
        self.wait(sending=False)
        return self.link.recv(size)

    def put(self, content):
        rest = memoryview(content)
        while rest:
            self.wait(sending=True)
            try:
                rest = rest[self.link.send(rest, socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                pass

    def receive(self):
        try:
            header, arrays = frames.receive(self.link, self.take)
        except Ended:
            raise
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            raise Ended("crash", "what came back is no answer") from None
        if header is None:
            raise Ended("crash", self.ending())
        return header, arrays

    def ask(self, header, arrays=()):
        self.limit = TimeLimit(self.process.pid, self.setup.seconds)
        try:
            frames.send(self.put, {**header, "token": self.token}, list(arrays))
        except OSError:
            pass  # it has ended; the answer reports why
        answer, results = self.receive()
        self.listen()
        if answer.get("token") != self.token:
            raise Ended("crash", "somebody else has answered")
        return answer, results

    def objects(self):
        """The number of the library's objects, as counted by the library in shared memory."""
        return int.from_bytes(self.shared[:4], sys.byteorder, signed=True)

    def ending(self):
        try:
            status = self.process.wait(2)
        except subprocess.TimeoutExpired:
            return "it closed the connection"
        self.listen()
        if status > 128:  # how the jail reports a signal
            status = 128 - status
        if status < 0:
            return f"the host code crashed ({signal.strsignal(-status)})"
        return f"the program ended with status {status}"

    def stop(self):
        if self.process:
            for kill in (lambda: os.killpg(self.process.pid, signal.SIGKILL), self.process.kill):
                try:
                    kill()
                except ProcessLookupError:
                    pass
            self.process.wait()
        self.link.close()
        os.close(self.output)

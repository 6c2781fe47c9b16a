"""calls.py - what the grader of exercise 31 has done with the student's cache, in the runner's process: a disk and a
compiler that note all that is asked of them, and steps one after the other.

A disk in memory can do what no real one can be told to do: stop between two operations, and in the middle of a write,
while another process works, or for ever. The processes are real ones: what one of them has in its memory, no other one has.
"""

import errno
import functools
import hashlib
import importlib.util
import io
import json
import os
import pickle
import random
import re
import secrets  # noqa: F401 (imported once for all processes, as the next two are)
import sys
import uuid  # noqa: F401
import zlib  # noqa: F401

from __main__ import describe  # runner.py

FORKS = True  # each process of a session is one

NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


class Killed(BaseException):
    """The process is gone: nothing of it happens any more."""


class CompileError(Exception):
    pass


class File:
    """What a name leads to. Who has it open keeps it, whatever becomes of the name."""

    def __init__(self, content=b""):
        self.content = content


class Disk:
    """`log` has each operation: its kind, the names, and the process. `fault` is looked at before each of them."""

    def __init__(self, contents):
        self.files = {name: File(bytes.fromhex(content)) for name, content in contents.items()}
        self.log, self.process, self.fault, self.dead = [], 0, None, False

    def step(self, kind, *names):
        if self.dead and self.process == 0:
            raise Killed()
        for name in names:
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise OSError(errno.EINVAL, f"a file cannot have this name: {str(name)[:120]!r}")
        self.log.append([kind, *names, self.process])
        if self.fault:
            self.fault(kind)

    def find(self, name):
        if name not in self.files:
            raise FileNotFoundError(errno.ENOENT, "there is no file of this name", name)
        return self.files[name]

    def read(self, name):
        self.step("read", name)
        file = self.find(name)
        return bytes(file.content)

    def write(self, name, data):
        self.step("write", name)
        file = self.files.setdefault(name, File())
        middle = len(data) // 2
        file.content = data[:middle]
        self.step("writing", name)
        file.content = file.content[:middle].ljust(middle, b"\0") + data[middle:] + file.content[len(data) :]

    def rename(self, old, new):
        self.step("rename", old, new)
        self.find(old)
        self.files[new] = self.files.pop(old)

    def remove(self, name):
        self.step("remove", name)
        self.find(name)
        del self.files[name]

    def names(self):
        self.step("names")
        return sorted(self.files)


class Compiler:
    """Each image says of which question it was made, and how often one was made before: none is like another."""

    def __init__(self, broken):
        self.made, self.broken = [], broken

    def compile(self, source, flags, arch, version):
        question = json.dumps([source, flags, arch, version])
        if source in self.broken:
            self.made.append([question, ""])
            raise CompileError("on purpose")
        serial = os.urandom(8)
        length = 200 + 37 * len(self.made)
        filling = hashlib.shake_256(question.encode() + serial).digest(length)
        image = b"\x7fELF" + hashlib.sha256(question.encode()).digest() + serial + filling + b"\r\n\0\n"
        self.made.append([question, image.hex()])
        return image


class Raised(Exception):
    """What was raised in another process: `described` is what the runner says of it."""

    def __init__(self, described):
        super().__init__(described["text"])
        self.described = described


class Process:
    """A process of its own, which imports the student's file. It has neither disk nor compiler: what it asks of them it
    sends over a pipe, and so it can be stopped at each such moment, for ever or while others go on."""

    def __init__(self, path, answer_to):
        self.answer_to = answer_to
        (self.reads, theirs_out), (theirs_in, self.writes) = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            close_all_but(theirs_in, theirs_out)  # also what leads to the judge, and to other processes
            live(path, theirs_in, theirs_out)
        os.close(theirs_in)
        os.close(theirs_out)

    def get(self, version, question, disk):
        """What came back; meanwhile this process answers for disk and compiler. Killed, if one of them stops it."""
        send(self.writes, (version, question, disk))
        while True:
            kind, *values = receive(self.reads)
            if kind in ("done", "raised"):
                return kind, *values
            send(self.writes, self.answer_to(kind, disk, values))

    def end(self):
        os.close(self.writes)
        os.close(self.reads)
        os.waitpid(self.pid, 0)


def close_all_but(*kept):
    first = 3
    for descriptor in sorted(kept):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, 1024)


def send(descriptor, value):
    data = pickle.dumps(value)
    data = len(data).to_bytes(8, "little") + data
    while data:
        data = data[os.write(descriptor, data) :]


def take(descriptor, size):
    data = b""
    while len(data) < size:
        piece = os.read(descriptor, size - len(data))
        if not piece:
            raise EOFError("the process has ended")
        data += piece
    return data


def receive(descriptor):
    return Plain(io.BytesIO(take(descriptor, int.from_bytes(take(descriptor, 8), "little")))).load()


class Plain(pickle.Unpickler):
    """Numbers, texts and what is made of them: nothing that runs when it is read."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}")


class Far:
    """Disk or compiler, in the student's process: each method asks over the pipe."""

    def __init__(self, ask, methods, **values):
        self.__dict__.update(values)
        for method in methods:
            setattr(self, method, functools.partial(ask, method))


def live(path, reads, writes):
    """The life of such a process: a cache for each disk and compiler's version, as long as questions come."""

    def ask(kind, *values):
        """Without an answer this process has been killed: it ends here."""
        if kind == "write":
            values = [values[0], bytes(memoryview(values[1]))]
        if kind == "compile":
            values = [values[0], list(values[1]), values[2], values[3]]
        try:
            send(writes, (kind, *values))
            word, value = receive(reads)
        except (EOFError, BrokenPipeError):
            os._exit(0)
        if word == "OSError":
            raise OSError(*value)  # by its number: a FileNotFoundError, for example
        if word == "CompileError":
            raise CompileError(value)
        return value

    caches, module = {}, None
    try:
        while True:
            version, (source, flags, arch), disk = receive(reads)
            given, which = list(flags), (version, disk)
            try:
                module = module or load(path)
                if which not in caches:
                    compiler = Far(ask, (), version=version)
                    compiler.compile = lambda s, f, a, v=version: ask("compile", s, f, a, v)
                    caches[which] = module.Cache(Far(ask, ("read", "write", "rename", "remove", "names")), compiler)
                image = caches[which].get(source, given, arch)
                found = image.hex() if isinstance(image, (bytes, bytearray)) else type(image).__name__
                send(writes, ("done", found, given != flags))
            except CompileError:
                send(writes, ("done", None, given != flags))
            except Exception as error:
                send(writes, ("raised", describe(error, path)))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def load(path):
    spec = importlib.util.spec_from_file_location("exercise", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_exercise(path):
    """The file is imported in each process anew, and never here."""
    with open(path, "rb") as file:
        compile(file.read(), path, "exec")
    return path


class Session:
    def __init__(self, path, contents, questions, broken):
        self.path, self.questions, self.compiler = path, questions, Compiler(broken)
        self.disk, self.second_disk = Disk(contents), Disk({})
        self.processes, self.errors, self.others = {}, [], []

    def answer(self, kind, disk, values):
        """For a process: what the disk (0 or 1) or the compiler answers."""
        asked = self.compiler if kind == "compile" else self.second_disk if disk else self.disk
        try:
            return None, getattr(asked, kind)(*values)
        except OSError as error:
            return "OSError", error.args
        except CompileError as error:
            return "CompileError", str(error)

    def get(self, process, q, disk=0):
        """What came back, how often the compiler was asked meanwhile, and what was done on the disk."""
        source, flags, arch, version = self.questions[q]
        before, self.disk.process = self.disk.process, process
        made, done, told = len(self.compiler.made), len(self.disk.log), {"q": q, "process": process, "changed": False}
        try:
            if process not in self.processes:
                self.processes[process] = Process(self.path, self.answer)
            kind, *values = self.processes[process].get(version, (source, flags, arch), disk)
            if kind == "raised":
                raise Raised(*values)
            image, told["changed"] = values
            told.update({"compile_error": True} if image is None else {"image": image})
        except Killed:
            told["killed"] = True
            self.processes.pop(process).end()
        finally:
            self.disk.process = before
        told["compiled"], told["operations"] = len(self.compiler.made) - made, len(self.disk.log) - done
        return told

    def end(self):
        for process in self.processes.values():
            process.end()

    def damage(self, how, seed):
        """Does the same to every file. `swap` gives each file the next one's content."""
        chance, files = random.Random(seed), [self.disk.files[name] for name in sorted(self.disk.files)]
        contents = [file.content for file in files]
        for k, file in enumerate(files):
            content = contents[k]
            at = chance.randrange(max(1, len(content) - 1))
            file.content = {
                "cut": content[: len(content) * 2 // 3],
                "last": content[:-1],
                "longer": content + b"\0",
                "empty": b"",
                "bit": content[:at] + bytes(byte ^ 1 << seed for byte in content[at : at + 1]) + content[at + 1 :],
                "first": bytes(byte ^ 0x20 for byte in content[:1]) + content[1:],
                "end": content[:-6] + bytes(byte ^ 1 for byte in content[-6:-5]) + content[-5:],
                "exchange": content[:at] + content[at : at + 2][::-1] + content[at + 2 :],
                "swap": contents[(k + 1) % len(contents)],
            }[how]  # fmt: skip

    def fault(self, kind, at, q):
        """From the step `at` of the disk on, of those of process 0."""
        counted = 0

        def look(step):
            nonlocal counted
            if self.disk.process != 0:
                return
            counted += 1
            if kind == "killed" and counted == at:
                self.disk.dead = True
                raise Killed()
            if kind == "other" and counted == at:
                try:
                    self.others.append(self.get(1, q))
                except Exception as error:
                    self.errors.append(error)
            failing = {"full": "writing", "read-only": "write", "no rename": "rename", "unreadable": "read"}
            if step == failing.get(kind) or (kind == "read-only" and step in ("rename", "remove")):
                raise OSError(errno.ENOSPC if kind == "full" else errno.EACCES, f"this disk is made so: {kind}")

        self.others = []
        self.disk.fault = look


def session(path, arrays, questions, steps, contents=None, broken=()):
    """Steps: ["get", process, question] or, of a cache with the second disk, ["get", process, question, 1], ["damage", how, seed], ["fault", kind, at, question], ["no fault"]."""
    s, told = Session(path, contents or {}, questions, set(broken)), []
    try:
        for word, *values in steps:
            if word == "get":
                told.append(s.get(*values))
            elif word == "damage":
                s.damage(*values)
            elif word == "fault":
                s.fault(*values)
            else:
                s.disk.fault = None
    finally:
        s.end()
    if s.errors:
        raise s.errors[0]
    files = {name: file.content.hex() for name, file in s.disk.files.items()}
    return {"gets": told, "others": s.others, "made": s.compiler.made, "log": s.disk.log, "files": files}

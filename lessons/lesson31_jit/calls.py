"""calls.py - what the grader of exercise 31 has done with the student's cache, in the runner's process: a disk and a
compiler that note all that is asked of them, and steps one after the other.

A disk of its own in memory can do what no real one can be told to do: stop between two operations, and in the middle of
a write, while another process works, or for ever.
"""

import errno
import hashlib
import importlib.util
import json
import os
import random
import re

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
        data = bytes(memoryview(data))
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

    def __init__(self, version, made, broken):
        self.version, self.made, self.broken = version, made, broken

    def compile(self, source, flags, arch):
        question = json.dumps([source, list(flags), arch, self.version])
        if source in self.broken:
            self.made.append([question, ""])
            raise CompileError("on purpose")
        serial = os.urandom(8)
        length = 200 + 37 * len(self.made)
        filling = hashlib.shake_256(question.encode() + serial).digest(length)
        image = b"\x7fELF" + hashlib.sha256(question.encode()).digest() + serial + filling + b"\r\n\0\n"
        self.made.append([question, image.hex()])
        return image


class Process:
    """A process has the student's file for itself, and a number of its own."""

    def __init__(self, student, number):
        self.number = number
        with self:
            self.module = student if number == 0 else self.another(student.__file__)

    def another(self, path):
        spec = importlib.util.spec_from_file_location(f"exercise_{self.number}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def __enter__(self):
        self.getpid = os.getpid
        if self.number:
            os.getpid = lambda: 100000 + self.number
        return self

    def __exit__(self, *_):
        os.getpid = self.getpid


class Session:
    def __init__(self, student, contents, questions, broken):
        self.student, self.questions, self.broken = student, questions, broken
        self.disk, self.made, self.caches, self.processes, self.errors = Disk(contents), [], {}, {}, []

    def cache(self, process, version):
        if (process, version) not in self.caches:
            if process not in self.processes:
                self.processes[process] = Process(self.student, process)
            with self.processes[process] as own:
                compiler = Compiler(version, self.made, self.broken)
                self.caches[process, version] = own.module.Cache(self.disk, compiler)
        return self.caches[process, version]

    def get(self, process, q):
        """What came back, how often the compiler was asked meanwhile, and what was done on the disk."""
        source, flags, arch, version = self.questions[q]
        given, before = list(flags), self.disk.process
        self.disk.process = process
        made, done, told = len(self.made), len(self.disk.log), {"q": q, "process": process}
        try:
            cache = self.cache(process, version)
            with self.processes[process]:
                image = cache.get(source, given, arch)
            told["image"] = image.hex() if isinstance(image, (bytes, bytearray)) else type(image).__name__
        except CompileError:
            told["compile_error"] = True
        except Killed:
            told["killed"] = True
        finally:
            self.disk.process = before
        told["changed"] = given != flags
        told["compiled"], told["operations"] = len(self.made) - made, len(self.disk.log) - done
        return told

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


def session(student, arrays, questions, steps, contents=None, broken=()):
    """Steps: ["get", process, question], ["damage", how, seed], ["fault", kind, at, question], ["no fault"]."""
    s, told = Session(student, contents or {}, questions, set(broken)), []
    for word, *values in steps:
        if word == "get":
            told.append(s.get(*values))
        elif word == "damage":
            s.damage(*values)
        elif word == "fault":
            s.fault(*values)
        else:
            s.disk.fault = None
    if s.errors:
        raise s.errors[0]
    files = {name: file.content.hex() for name, file in s.disk.files.items()}
    return {"gets": told, "others": getattr(s, "others", []), "made": s.made, "log": s.disk.log, "files": files}

"""Functions and a dictionary of questions. What was written is read back, as whole, before it becomes the entry."""

import hashlib
import hmac
import json
import random
import time


def digest(*parts):
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def seal(name, image):
    return hmac.new(name.encode(), image, "sha256").hexdigest().encode()


def open_sealed(disk, name, entry):
    try:
        mark, _, image = disk.read(name).partition(b"\n")
    except OSError:
        return None
    return image if hmac.compare_digest(mark, seal(entry, image)) else None


def publish(disk, entry, image):
    new = f"t{time.time_ns()}-{random.getrandbits(64)}"
    try:
        disk.write(new, seal(entry, image) + b"\n" + image)
        if open_sealed(disk, new, entry) is not None:
            disk.rename(new, entry)
            return
    except OSError:
        pass
    try:
        disk.remove(new)
    except OSError:
        pass


class Cache:
    def __init__(self, disk, compiler):
        memory = {}

        def get(source, flags, arch):
            entry = digest(source, flags, arch, compiler.version)
            if entry in memory:
                return memory[entry]
            found = open_sealed(disk, entry, entry)
            if found is None:
                found = compiler.compile(source, flags, arch)
                publish(disk, entry, found)
            return memory.setdefault(entry, found)

        self.get = get

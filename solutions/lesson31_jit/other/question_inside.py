"""The entry holds the whole question, so that nothing hangs on the hash of its name; pickle writes it, CRC-32 guards
it."""

import hashlib
import os
import pickle
import secrets
import zlib
from contextlib import suppress


class Cache:
    def __init__(self, disk, compiler):
        self.disk, self.compiler, self.known = disk, compiler, {}

    def get(self, source, flags, arch):
        question = (source, tuple(flags), arch, self.compiler.version)
        if question not in self.known:
            self.known[question] = self.from_disk(question) or self.made(question)
        return self.known[question]

    def name(self, question):
        return hashlib.blake2b(repr(question).encode(), digest_size=20).hexdigest() + ".kernel"

    def from_disk(self, question):
        with suppress(Exception):  # whatever pickle says of what is no entry
            content = self.disk.read(self.name(question))
            if int.from_bytes(content[-4:], "big") == zlib.crc32(content[:-4]):
                asked, image = pickle.loads(content[:-4])
                return image if asked == question else None

    def made(self, question):
        source, flags, arch, _ = question
        image = self.compiler.compile(source, list(flags), arch)
        content = pickle.dumps((question, image))
        new = f"{os.getpid()}-{secrets.token_hex(4)}.part"
        try:
            self.disk.write(new, content + zlib.crc32(content).to_bytes(4, "big"))
            self.disk.rename(new, self.name(question))
        except OSError:
            with suppress(OSError):
                self.disk.remove(new)
        return image

"""The key hashes each part behind its length. The number of the process makes the temporary name."""

import hashlib
import os
import struct


def framed(parts):
    return b"".join(struct.pack("<Q", len(part)) + part for part in parts)


class Cache:
    def __init__(self, disk, compiler):
        self.disk, self.compiler, self.images = disk, compiler, {}

    def get(self, source, flags, arch):
        parts = [source, arch, self.compiler.version, *flags]
        key = hashlib.sha512(framed([part.encode() for part in parts])).hexdigest()[:64]
        image = self.images.get(key)
        if image is None:
            image = self.read(key)
        if image is None:
            image = self.compiler.compile(source, flags, arch)
            self.write(key, image)
        self.images[key] = image
        return image

    def read(self, key):
        try:
            content = self.disk.read(key)
        except OSError:
            return None
        body, mark = content[:-32], content[-32:]
        if len(content) < 32 or hashlib.sha256(body).digest() != mark or body[:64] != key.encode():
            return None
        return body[64:]

    def write(self, key, image):
        body = key.encode() + image
        mine = f"{key}.{os.getpid()}"
        try:
            self.disk.write(mine, body + hashlib.sha256(body).digest())
            self.disk.rename(mine, key)
            return
        except OSError:
            pass
        try:
            self.disk.remove(mine)
        except OSError:
            pass

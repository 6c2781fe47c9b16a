# expect: wrong_result
# says: each with its own disk
"""All caches of a process have one memory."""

import hashlib
import json
import os
import uuid


class Folder:
    """A disk for your own experiments: a folder of this machine."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path, exist_ok=True)

    def at(self, name):
        return os.path.join(self.path, name)

    def read(self, name):
        with open(self.at(name), "rb") as file:
            return file.read()

    def write(self, name, data):
        with open(self.at(name), "wb") as file:
            file.write(data)

    def rename(self, old, new):
        os.replace(self.at(old), self.at(new))

    def remove(self, name):
        os.remove(self.at(name))

    def names(self):
        return os.listdir(self.path)


class Cache:
    memory = {}

    def __init__(self, disk, compiler):
        self.disk, self.compiler = disk, compiler

    def key(self, source, flags, arch):
        """The entry's name: the same in every process, and another one for every other question."""
        question = json.dumps([source, flags, arch, self.compiler.version])
        return hashlib.sha256(question.encode()).hexdigest()

    def pack(self, key, image):
        """The entry's content: the image, and what shows later that it is whole, and this key's."""
        return hashlib.sha256(key.encode() + image).digest() + image

    def unpack(self, key, content):
        """The image, or None if the content is not what `pack` has made for this key."""
        image = content[32:]
        return image if self.pack(key, image) == content else None

    def load(self, key):
        """The image from the disk, or None if it has none that is right."""
        try:
            return self.unpack(key, self.disk.read(key))
        except OSError:
            return None

    def store(self, key, image):
        """Onto the disk, so that nobody ever finds a part of an entry."""
        temporary = f"new-{uuid.uuid4().hex}"
        try:
            self.disk.write(temporary, self.pack(key, image))
            self.disk.rename(temporary, key)
        except OSError:
            try:
                self.disk.remove(temporary)
            except OSError:
                pass

    def get(self, source, flags, arch):
        key = self.key(source, flags, arch)
        if key not in self.memory:
            image = self.load(key)
            if image is None:
                image = self.compiler.compile(source, flags, arch)
                self.store(key, image)
            self.memory[key] = image
        return self.memory[key]

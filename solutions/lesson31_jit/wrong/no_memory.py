# expect: access_limit
# says: although the answer was in memory
"""Every call reads the disk."""

import hashlib
import json
import uuid


class Cache:
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
        image = self.load(key)
        if image is None:
            image = self.compiler.compile(source, flags, arch)
            self.store(key, image)
        return image

"""Exercise 31: the cache of a compiler that is called at run time. The compiler is slow, so what it has made is kept,
in memory and on a disk that several processes share. Any of them may be killed at any moment.

The grader (make exercise31) calls, in a process of its own, what this file defines:

    cache = Cache(disk, compiler)
    image = cache.get(source, flags, arch)      bytes: what the compiler makes of that

  - a question is source (text), flags (a list of texts), arch (text) and the compiler's version. If one of them
    differs, also if only the flags' order does, it is another question. So an entry's name has a hash of 64 bits or more
    (with 32, two of 77000 questions would probably share an entry);
  - what this cache has been asked already it answers from memory: it asks neither the compiler nor the disk. Another
    cache, with another disk, has a memory of its own;
  - what another process has put on the disk is not compiled again;
  - an entry of the disk may be damaged: cut off, with changed bytes, empty, or another entry's content under its name.
    Then the compiler is asked, and the entry made again;
  - an entry is one file. It appears by rename, as a whole, and is never written where it lies: others may be reading
    it;
  - wherever a process is killed, the next one gets what is right. Two processes that ask the same at once both get it,
    and neither waits for the other: there are no locks, since who holds one may be killed;
  - a disk that is full, or that may not be written or read (OSError), does no harm: the compiler's image is returned.
    Nothing unfinished is left behind;
  - what the compiler raises goes to the caller, and nothing is kept: next time it is asked again.

    compiler.version                            text; one compiler has one
    compiler.compile(source, flags, arch)       bytes, or an exception. Asked twice, it may answer with other bytes

`disk` has these methods. A name has at most 100 characters: letters, digits, "-", "_" and ".".

    disk.read(name)             bytes, or FileNotFoundError
    disk.write(name, data)      makes the file, or writes over it, piece by piece: others may see a part of it, and if
                                the process is killed or the disk is full, a part is what stays
    disk.rename(old, new)       at once; a file `new` is replaced, and who is reading that goes on with the old one
    disk.remove(name)           or FileNotFoundError
    disk.names()                a list of all files

The grader's disk lies in memory, so that it can stop between any two steps. Folder, below, is a real one.
"""
# fails as given: not_implemented

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
    def __init__(self, disk, compiler):
        self.disk, self.compiler, self.memory = disk, compiler, {}

    def key(self, source, flags, arch):
        """The entry's name: the same in every process, and another one for every other question."""
        #> TODO 1: all parts of the question in one text, so that none is taken for another one, hashed.
        #| raise NotImplementedError("TODO 1: the key")
        question = json.dumps([source, flags, arch, self.compiler.version])
        return hashlib.sha256(question.encode()).hexdigest()
        #<

    def pack(self, key, image):
        """The entry's content: the image, and what shows later that it is whole, and this key's."""
        #> TODO 2
        #| return image
        return hashlib.sha256(key.encode() + image).digest() + image
        #<

    def unpack(self, key, content):
        """The image, or None if the content is not what `pack` has made for this key."""
        #> TODO 3
        #| return content
        image = content[32:]
        return image if self.pack(key, image) == content else None
        #<

    def load(self, key):
        """The image from the disk, or None if it has none that is right."""
        #> TODO 4: what if the file is not there, or may not be read?
        #| return None
        try:
            return self.unpack(key, self.disk.read(key))
        except OSError:
            return None
        #<

    def store(self, key, image):
        """Onto the disk, so that nobody ever finds a part of an entry."""
        #> TODO 5: under which name, if another process does the same at this moment? What if the disk is full?
        #| pass
        temporary = f"new-{uuid.uuid4().hex}"
        try:
            self.disk.write(temporary, self.pack(key, image))
            self.disk.rename(temporary, key)
        except OSError:
            try:
                self.disk.remove(temporary)
            except OSError:
                pass
        #<

    def get(self, source, flags, arch):
        #> TODO 6: from memory, else from disk, else from the compiler.
        #| raise NotImplementedError("TODO 6: get")
        key = self.key(source, flags, arch)
        if key not in self.memory:
            image = self.load(key)
            if image is None:
                image = self.compiler.compile(source, flags, arch)
                self.store(key, image)
            self.memory[key] = image
        return self.memory[key]
        #<

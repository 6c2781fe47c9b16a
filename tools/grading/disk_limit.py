"""disk_limit.py - the amount written by a runner that may write files: no kernel limit covers the files of all its processes together."""

import os
import stat
import time

MOST = 1 << 30  # bytes in the folder, and in files that were removed from it and are open


def size(status):
    return status.st_blocks * 512


def bytes_in(folder):
    total = 0
    for path, _, files in os.walk(folder):
        for name in files:
            try:
                total += size(os.lstat(os.path.join(path, name)))
            except OSError:
                pass  # it was removed meanwhile
    return total


def listed(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def processes(pid):
    """This process and all its descendants."""
    yield pid
    for task in listed(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children", encoding="utf-8") as file:
                children = file.read().split()
        except OSError:
            continue
        for child in children:
            yield from processes(child)


def bytes_removed(pid, device):
    removed = {}
    for process in processes(pid):
        for descriptor in listed(f"/proc/{process}/fd"):
            try:
                status = os.stat(f"/proc/{process}/fd/{descriptor}")
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode) and status.st_dev == device and status.st_nlink == 0:
                removed[status.st_ino] = size(status)
    return sum(removed.values())


class DiskLimit:
    """The processes that `pid` has started."""

    def __init__(self, pid, folder):
        self.pid, self.folder, self.looked = pid, folder, time.monotonic()

    def reached(self):
        if time.monotonic() - self.looked < 0.5:
            return False
        device = os.stat(self.folder).st_dev
        reached = bytes_in(self.folder) + bytes_removed(self.pid, device) > MOST
        self.looked = time.monotonic()
        return reached

"""time_limit.py - decides when a job has taken too long, by the processor time of the runner, as in process.cpp."""

import os
import time

PATIENCE = 10  # no job gets more than this multiple of its limit in wall-clock time
TICKS = os.sysconf("SC_CLK_TCK")


def processor_time(pid):
    """Seconds of a process and all its descendants, including those that have ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()  # the name may contain spaces
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            children = file.read().split()
    except OSError:
        return 0.0  # it has ended
    return sum(map(int, fields[11:15])) / TICKS + sum(map(processor_time, children))


class TimeLimit:
    """Expires after this many seconds of wall-clock time in which the process used as many seconds of processor time. On a
    busy machine the limit is longer; a sleeping process's limit counts from its last work."""

    def __init__(self, pid, seconds):
        self.pid, self.seconds = pid, seconds
        self.begun = self.looked = self.worked = time.monotonic()
        self.before = self.spent = processor_time(pid)

    def reached(self):
        at = time.monotonic()
        if at - self.looked < 0.5:
            return False
        spent = processor_time(self.pid)
        if spent - self.spent > 0.005:
            self.worked = at
        self.looked, self.spent = at, spent
        busy = spent - self.before >= self.seconds and at - self.begun >= self.seconds
        return busy or at - self.worked >= self.seconds or at - self.begun >= PATIENCE * self.seconds

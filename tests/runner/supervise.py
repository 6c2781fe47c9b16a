"""supervise.py LIMIT REPORT SUITE [ARGUMENT]: runs one suite, its output on this process's stdout, and accounts for all its descendants.
__main__.py sets LIMIT.

REPORT is JSON: {"status": exit status, "signal": 0 or the signal that ended the suite, "late": whether LIMIT was exceeded, "wall": seconds,
"cpu": seconds of processor time, "left": processes that outlived the suite}. The suite runs in a new session. This process is its subreaper:
orphans of a suite, and of a jail's process 1, are reparented to it, so that wait4() counts their time as well. That needs no privileges, whereas a
control group needs root. Processes that still run some seconds after the suite has ended are killed, and so are all of them at the limit.
"""
import ctypes
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, Optional

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
TICKS = os.sysconf("SC_CLK_TCK")
INTERVAL = 0.2  # seconds between two looks
GRACE = 1  # seconds for processes that end by themselves after their suite


class Over(Exception):
    """The time limit is exceeded."""


class Stopped(Exception):
    """The runner has ended, or ends this job."""


def children(process: int) -> list[int]:
    """The children of this process and its threads, including adopted ones."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:
                found.extend(map(int, file.read().split()))
    except OSError:
        pass  # it ended meanwhile
    return found


def descendants(process: int) -> list[int]:
    """All processes below this one."""
    found = [process]
    for one in found:
        found.extend(children(one))
    return found[1:]


def seconds_of(process: int) -> float:
    """Processor time of a process and of those that it has waited for."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return sum(map(int, file.read().rsplit(") ", 1)[1].split()[11:15])) / TICKS
    except (OSError, IndexError):
        return 0.0


def is_first(process: int) -> bool:
    """Whether it is process 1 of a jail."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as file:
            names = [line.split()[1:] for line in file if line.startswith("NSpid:")]
    except OSError:
        return False
    return bool(names) and len(names[0]) > 1 and names[0][-1] == "1"


def start(command: list[str]) -> int:
    """Starts the command in a new session, and returns its process."""
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(1, 2)
            for caught in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(caught, signal.SIG_DFL)
            os.execv(command[0], command)
        except OSError as error:
            print(f"{command[0]}: {error.strerror}", flush=True)
            os._exit(126)
    return child


class Account:
    """Ended processes below this one."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self.ended: dict[int, int] = {}
        self.inside: dict[int, float] = {}  # the last observed usage of the processes of a jail, by its process 1
        self.deadline = 0.0

    def look(self) -> None:
        """When a jail's process 1 is killed, so are the others in the jail, and no process waits for them: their time must be read before."""
        for process in descendants(os.getpid()):
            if is_first(process):
                self.inside[process] = sum(map(seconds_of, descendants(process)))

    def on_timer(self, *_: Any) -> None:
        """Polls several times per second. Over: the time to wait is exceeded."""
        if time.monotonic() >= self.deadline:
            raise Over
        self.look()

    def wait(self) -> Optional[int]:
        """Waits for a process to end, and returns it. None: there are no more."""
        try:
            process, status, used = os.wait4(-1, 0)
        except ChildProcessError:
            return None
        inside = self.inside.pop(process, 0.0)
        self.cpu += used.ru_utime + used.ru_stime + (inside if os.WIFSIGNALED(status) else 0.0)
        self.ended[process] = status
        return process

    def wait_for(self, process: Optional[int], seconds: float) -> None:
        """Waits for that process, or for all of them (None). Over: the seconds are exceeded."""
        self.deadline = time.monotonic() + seconds
        signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)
        try:
            while True:
                ended = self.wait()
                if ended is None or ended == process:
                    return
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def kill_all(self) -> int:
        """Ends everything below this process, and returns the initial number of processes."""
        first = descendants(os.getpid())
        while True:
            for process in descendants(os.getpid()):
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if self.wait() is None:
                return len(first)


def supervise(limit: float, command: list[str]) -> dict[str, Any]:
    """Runs the command to its end, and returns the report."""
    account, late, left, begin = Account(), False, 0, time.monotonic()
    signal.signal(signal.SIGALRM, account.on_timer)
    suite = start(command)
    try:
        account.wait_for(suite, limit)
        wall = time.monotonic() - begin
        try:
            account.wait_for(None, GRACE)
        except Over:
            left = account.kill_all()
    except Over:
        wall, late = time.monotonic() - begin, True
        account.kill_all()
    except Stopped:
        account.kill_all()
        raise
    status = account.ended.get(suite, 0)
    return {
        "status": os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "late": late,
        "wall": wall,
        "cpu": account.cpu,
        "left": left,
    }


def stop(*_: Any) -> None:
    """The handler of SIGTERM."""
    raise Stopped


def main() -> int:
    limit, report, *command = sys.argv[1:]
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from the terminal: the runner decides which processes to end
    try:
        facts = supervise(float(limit), command)
    except Stopped:
        return 143
    Path(report).write_text(json.dumps(facts), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

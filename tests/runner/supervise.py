"""supervise.py LIMIT REPORT SUITE [ARGUMENT]: runs one suite, its output on this process's stdout, and accounts for all it started.

REPORT is JSON: {"status": exit status, "signal": 0 or the signal that ended the suite, "late": whether LIMIT seconds were over, "wall": seconds,
"cpu": seconds of processor time, "left": processes that outlived the suite}. The suite runs in a session of its own. This process is its subreaper:
what a suite leaves behind, and what a jail's process 1 leaves behind, has it for a parent at the end, so that wait4() counts its time as well. That
needs no rights, where a control group needs root. Whatever still runs some seconds after the suite has ended is killed, and so is all of it at the limit.
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
GRACE = 3  # seconds for processes that end by themselves after their suite


class Over(Exception):
    """The time is over."""


class Stopped(Exception):
    """The runner has ended, or ends this job."""


def parents() -> dict[int, int]:
    """Each process of the machine that can be seen: its parent."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = int((entry / "stat").read_text().rsplit(") ", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                continue  # it has ended meanwhile
    return found


def descendants() -> list[int]:
    """All processes below this one."""
    parent_of = parents()
    found = [os.getpid()]
    for process in found:
        found.extend(child for child, parent in parent_of.items() if parent == process)
    return found[1:]


def start(command: list[str]) -> int:
    """The command in a session of its own: its process."""
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
    """What has ended below this process."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self.ended: dict[int, int] = {}

    def wait(self) -> Optional[int]:
        """Waits for a process to end: which. None: there are no more."""
        try:
            process, status, used = os.wait4(-1, 0)
        except ChildProcessError:
            return None
        self.cpu += used.ru_utime + used.ru_stime
        self.ended[process] = status
        return process

    def wait_for(self, process: Optional[int], seconds: float) -> None:
        """Waits for that process, or for all of them (None). Over: the seconds are."""
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            while True:
                ended = self.wait()
                if ended is None or ended == process:
                    return
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def kill_all(self) -> int:
        """Ends everything below this process: how many there were at first."""
        first = descendants()
        while True:
            for process in descendants():
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if self.wait() is None:
                return len(first)


def supervise(limit: float, command: list[str]) -> dict[str, Any]:
    """Runs the command to its end: the report."""
    account, late, left, begin = Account(), False, 0, time.monotonic()
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


def raises(kind: type) -> Any:
    """A handler of a signal that raises an exception."""

    def handler(*_: Any) -> None:
        raise kind()

    return handler


def main() -> int:
    limit, report, *command = sys.argv[1:]
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.signal(signal.SIGALRM, raises(Over))
    signal.signal(signal.SIGTERM, raises(Stopped))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from the terminal: the runner says what is to end
    try:
        facts = supervise(float(limit), command)
    except Stopped:
        return 143
    Path(report).write_text(json.dumps(facts), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

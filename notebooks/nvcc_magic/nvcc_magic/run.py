"""Starts a program and hands on what it prints while it runs, within limits of time and output.

The program's two streams are one here, as on a terminal, so their order is the true one. The program has a process
group of its own; when it has to end, all of the group ends.
"""

from __future__ import annotations

import codecs
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

POLL = 0.1  # seconds
LINGER = 1.0  # seconds that a finished program's children may hold its output


@dataclass
class Outcome:
    """How a program ended: its status (negative: minus the signal), or why it was ended."""

    status: int = 0
    stopped: str = ""  # "time", "output", "interrupt" or nothing
    output: str = ""


class _Names:
    """Replaces a folder's name in a text that comes in pieces, in which the name may be cut in two."""

    def __init__(self, folder: str):
        self.folder = folder
        self.held = ""

    def take(self, text: str, last: bool = False) -> str:
        text = (self.held + text).replace(self.folder, "") if self.folder else text
        self.held = ""
        if self.folder and not last:
            for length in range(min(len(self.folder) - 1, len(text)), 0, -1):
                if text.endswith(self.folder[:length]):
                    self.held = text[-length:]
                    return text[:-length]
        return text


def run(command: list[str], environment: dict[str, str], write: Callable[[str], None], *, timeout: float = 0, max_output: int = 0,
        hide: str = "", folder: str | None = None) -> Outcome:  # fmt: skip
    """Runs `command`; `write` gets its output piece by piece. `hide` is left out wherever the output has it.

    timeout and max_output are in seconds and characters, 0 for no limit.
    """
    program = subprocess.Popen(
        command,
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    outcome = Outcome()
    pieces: list[str] = []
    try:
        outcome.stopped = _hand_on(program, pieces, write, timeout, max_output, _Names(hide))
    except KeyboardInterrupt:
        outcome.stopped = "interrupt"
    finally:
        _end_group(program.pid)
        if program.stdout:
            program.stdout.close()
        outcome.status = program.wait()
    outcome.output = "".join(pieces)
    return outcome


def _hand_on(program: subprocess.Popen[bytes], pieces: list[str], write: Callable[[str], None], timeout: float, max_output: int,
             names: _Names) -> str:  # fmt: skip
    assert program.stdout
    decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
    source = program.stdout.fileno()
    deadline = time.monotonic() + timeout if timeout else None
    ended_at: float | None = None
    length = 0
    while True:
        ready = select.select([source], [], [], POLL)[0]
        data = os.read(source, 65536) if ready else None
        text = names.take(decode(data or b"", final=data == b""), last=data == b"")
        if max_output and length + len(text) > max_output:
            text = text[: max_output - length]
            pieces.append(text)
            write(text)
            return "output"
        if text:
            length += len(text)
            pieces.append(text)
            write(text)
        if data == b"":
            return ""
        if deadline and time.monotonic() > deadline:
            return "time"
        # What a program leaves behind in the background may hold its output open.
        if data is None and program.poll() is not None:
            ended_at = ended_at or time.monotonic()
            if time.monotonic() > ended_at + LINGER:
                return ""


def _end_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def describe_signal(number: int) -> str:
    """In words, with what it usually means."""
    words: dict[int, str] = {
        signal.SIGSEGV: "a segmentation fault in its host code",
        signal.SIGABRT: "abort(), as assert and uncaught exceptions do",
        signal.SIGFPE: "an integer division by zero in its host code",
        signal.SIGKILL: "the system, which kills what needs too much memory",
        signal.SIGBUS: "a bus error in its host code",
        signal.SIGILL: "an instruction that this CPU does not have",
    }
    try:
        return f"{words.get(number, 'a signal')} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"

"""watch [--poll] [03]: grades an exercise again each time its file is saved, and reads single keys in between: that one, or the first that has not passed yet.

The file system's events (inotify) wake it at once; where there are none (network drives, shared folders of a virtual machine) it detects the
change within half a second, by polling. --poll only polls. When another exercise's file is saved it switches to that exercise; otherwise it
never switches by itself. If the file is saved during a grading, the grading is restarted.
"""
import ctypes
import os
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import NoReturn, Optional

from workbook import progress
from workbook.exercises import exercise_file, exercise_numbers
from workbook.messages import Failure

LOOK = 0.5  # seconds between two polls of the file
SETTLE = 0.12  # a file must be unchanged for this long: editors write in several steps
SAVED = 0x8 | 0x80 | 0x100 | 0x2  # IN_CLOSE_WRITE, IN_MOVED_TO, IN_CREATE, IN_MODIFY
NONBLOCK, CLOEXEC = os.O_NONBLOCK, os.O_CLOEXEC  # inotify's flags have the same values
CAUGHT = (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCONT)

Stamp = Optional[tuple[int, int, int]]  # the attributes that change when a file is saved; None if there is no file


def look(path: Path) -> Stamp:
    """The file's time in nanoseconds, size and inode."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def watch_folders(folders: list[Path]) -> int:
    """A descriptor that becomes readable after a file was saved there; -1: there are no events. It watches the folders, not the files: many editors
    save by replacing the old file with a new one."""
    try:
        library = ctypes.CDLL(None)
        events = int(library.inotify_init1(NONBLOCK | CLOEXEC))
        for folder in folders:
            library.inotify_add_watch(events, os.fsencode(folder), SAVED)
    except (OSError, AttributeError):
        return -1
    return events


class Terminal:
    """Reads keys one by one without echo. Ctrl-C remains a signal."""

    def __init__(self) -> None:
        self.before = termios.tcgetattr(sys.stdin)
        name = os.environ.get("TERM", "")
        self.can_clear = name not in ("", "dumb")
        self.coloured = self.can_clear and not os.environ.get("NO_COLOR")

    def read_single_keys(self) -> None:
        """Sets the mode, again after the program was stopped and continued."""
        raw = termios.tcgetattr(sys.stdin)
        raw[3] &= ~(termios.ICANON | termios.ECHO)
        raw[6][termios.VMIN], raw[6][termios.VTIME] = 1, 0
        termios.tcsetattr(sys.stdin, termios.TCSANOW, raw)

    def restore(self) -> None:
        """Restores the original mode."""
        termios.tcsetattr(sys.stdin, termios.TCSANOW, self.before)

    def paint(self, code: int, text: str) -> str:
        """In colour, if the terminal supports it."""
        return f"\033[{code}m{text}\033[0m" if self.coloured else text

    def clear(self) -> None:
        """The screen."""
        if self.can_clear:
            print("\033[H\033[2J", end="")

    def show_keys(self) -> None:
        """The functions of the keys."""
        keys = "next", "hint", "list", "x reset", "quit"
        words = [f"{self.paint(1, key[0])} {key[2:] if key[1] == ' ' else key}" for key in keys]
        print("\n" + "  ".join(words), flush=True)


class Watch:
    """The exercise on the screen and, while it is graded, the process that does it, the first of its group."""

    def __init__(self, number: str, polling: bool) -> None:
        self.terminal = Terminal()
        self.files = {number: exercise_file(number) for number in exercise_numbers() if exercise_file(number).is_file()}
        self.graded = {number: look(file) for number, file in self.files.items()}  # the state when its last grading, or this program, began
        if number not in self.files:
            raise Failure(f"there is no exercise {number}")
        self.number = number
        self.grading: Optional[subprocess.Popen[bytes]] = None
        self.typed = ""  # the first digit of an exercise's number
        self.events = -1 if polling else watch_folders([file.parent for file in self.files.values()])
        self.signals, wake = os.pipe()
        os.set_blocking(self.signals, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake)
        for caught in CAUGHT:
            signal.signal(caught, lambda number, frame: None)  # a byte in the pipe is all
            signal.siginterrupt(caught, False)

    # --- the work ---

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        """A workbook command, in a separate process group: Ctrl-C must reach only this program."""
        sys.stdout.flush()
        return subprocess.Popen([sys.executable, "tools/workbook", *words], stdin=subprocess.DEVNULL, preexec_fn=lambda: os.setpgid(0, 0))

    def stop_grading(self) -> None:
        """Ends the grading with all its child processes, which may clean up first."""
        if self.grading:
            for deadly in signal.SIGTERM, signal.SIGKILL:
                try:
                    os.killpg(self.grading.pid, deadly)
                except ProcessLookupError:
                    break
                if deadly == signal.SIGTERM:
                    self.wait_for_end(0.5)
            self.grading.wait()
            self.grading = None

    def wait_for_end(self, seconds: float) -> None:
        """Waits for the grading to end, but no longer than that."""
        try:
            assert self.grading
            self.grading.wait(seconds)
        except subprocess.TimeoutExpired:
            pass

    def start_grading(self) -> None:
        """Starts a new grading of the exercise on the screen."""
        self.stop_grading()
        self.terminal.clear()
        print(f"{self.terminal.paint(1, 'exercise' + self.number)}  {self.files[self.number]}\n\ngrading ...", flush=True)
        self.graded[self.number] = look(self.files[self.number])
        self.grading = self.start("exercise", self.number, "grade")

    def end_grading(self) -> None:
        """Handles the end of the grading, if it has ended."""
        status = self.grading.poll() if self.grading else None
        if status is None:
            return
        self.grading = None
        if status == 0:
            following = "Press n to go on to the next exercise." if self.following() else "It was the last exercise."
            print(f"\n{self.terminal.paint(32, 'It passes.')} {following}")
        else:
            print(f"\nSave {self.files[self.number]}, and it is graded again.")
        self.terminal.show_keys()

    # --- keys ---

    def following(self) -> str:
        """The exercise after this one; empty when this is the last."""
        numbers = list(self.files)
        return "".join(numbers[numbers.index(self.number) + 1 :][:1])

    def go_to(self, number: str) -> None:
        """Another exercise, or this one again."""
        self.stop_grading()
        if number in self.files:
            self.number = number
            self.start_grading()
        else:
            print(f"There is no exercise {number}.")
            self.terminal.show_keys()

    def go_on(self) -> None:
        """To the next exercise."""
        if self.following():
            self.go_to(self.following())
        else:
            print(f"Exercise {self.number} is the last one.")
            self.terminal.show_keys()

    def confirm(self, question: str) -> bool:
        """Waits for one key; any key but y means no."""
        print(f"{question} (y or n) ", end="", flush=True)
        while sys.stdin.fileno() not in select.select([sys.stdin.fileno(), self.signals], [], [])[0]:
            self.handle_signals()  # Ctrl-C also ends it here
        key = os.read(sys.stdin.fileno(), 1)
        print("y" if key == b"y" else "n")
        return key == b"y"

    def reset(self) -> None:
        """Resets the exercise; this does not count as a save by the student."""
        self.stop_grading()
        if self.confirm(f"Reset exercise {self.number}? Yours is kept as a backup."):
            self.start("exercise", self.number, "reset").wait()
            self.graded[self.number] = look(self.files[self.number])
        self.terminal.show_keys()

    def drop_rest_of_key(self) -> None:
        """Arrows and function keys are sent as an escape and further characters, which arrive together."""
        while select.select([sys.stdin], [], [], 0.02)[0] and os.read(sys.stdin.fileno(), 1):
            pass

    def handle_key(self, key: str) -> None:
        """Two digits select that exercise; a letter after them a further one of its lesson: 03, then b."""
        typed, self.typed = self.typed, ""
        if key.isdecimal():
            if typed:
                self.go_to(typed + key)
            else:
                self.typed = key
        elif key == "q":
            self.leave(0)
        elif key == "n":
            self.go_on()
        elif key == "h":
            self.start("exercise", self.number, "hint").wait()
            self.terminal.show_keys()
        elif key == "l":
            self.start("progress").wait()
            print("Type a number to go there.")
            self.terminal.show_keys()
        elif key == "x":
            self.reset()
        elif key == "\033":
            self.drop_rest_of_key()
        elif key in "\n ":
            self.terminal.show_keys()
        elif self.number[:2] + key in self.files:
            self.go_to(self.number[:2] + key)

    # --- the loop ---

    def leave(self, status: int) -> NoReturn:
        """Ends the grading and restores the terminal."""
        self.stop_grading()
        self.terminal.restore()
        print(flush=True)
        os._exit(status)

    def handle_signals(self) -> None:
        """Handles the signals that have arrived."""
        try:
            numbers = os.read(self.signals, 100)
        except BlockingIOError:
            return
        for number in numbers:
            if number == signal.SIGCHLD:
                self.end_grading()
            elif number == signal.SIGCONT:
                self.terminal.read_single_keys()
            else:
                # make also receives Ctrl-C. If this process ended before make handles it, make would wait for its child twice ("No child processes").
                time.sleep(0.1 if number == signal.SIGINT else 0)
                self.leave(128 + number)

    def saved(self) -> str:
        """The exercise whose file was saved since it was graded, or nothing. The one on the screen comes first."""
        for number in [self.number, *self.files]:
            seen = look(self.files[number])
            if seen is None or seen == self.graded[number]:
                continue
            time.sleep(SETTLE)
            if look(self.files[number]) == seen:
                return number
        return ""

    def run(self) -> NoReturn:
        """Runs until a key or a signal ends it."""
        self.terminal.read_single_keys()
        self.start_grading()
        sources = [sys.stdin.fileno(), self.signals] + [self.events] * (self.events >= 0)
        while True:
            ready = select.select(sources, [], [], LOOK)[0]
            if sys.stdin.fileno() in ready:
                key = os.read(sys.stdin.fileno(), 1)
                if not key:
                    self.leave(0)
                self.handle_key(key.decode("latin-1"))
            if self.events in ready:
                os.read(self.events, 65536)
            self.handle_signals()
            saved = self.saved()
            if saved:
                self.go_to(saved)


def main(arguments: list[str]) -> int:
    """Ctrl-C is a way to end it, not a failure of make's."""
    polling = arguments[:1] == ["--poll"]
    number = "".join(arguments[polling:])
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("make watch needs a terminal: it reads keys and shows the latest result.", f"make exercise{number or '03'} grades once, anywhere.")
    number = number or progress.next_exercise()
    if not number:
        raise Failure("there is no exercise to watch.")
    Watch(number, polling).run()

"""Runs a command on a pseudo-terminal and plays a session with it.

    python3 terminal.py LOG COMMAND... < SCRIPT

Each line of SCRIPT is `send TEXT` (keys), `run COMMAND` (a shell command, in parallel with the watched one), `wait TEXT` (until
TEXT is shown, searching the output since the last wait) or `quiet SECONDS TEXT` (TEXT must not be shown for that long). The
last line is the command's status: `ended with N`. The output is written to LOG.
"""
import os
import pty
import select
import subprocess
import sys
import time

LIMIT = 100  # seconds for a wait


class Session:
    def __init__(self, log, command):
        self.log = open(log, "wb")
        self.shown = b""
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.execvp(command[0], command)

    def read(self, seconds):
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        try:
            data = os.read(self.terminal, 4096) if ready else None
        except OSError:  # the other side has closed
            data = b""
        self.shown += data or b""
        self.log.write(data or b"")
        self.log.flush()
        return data

    def wait(self, text, seconds):
        end = time.time() + seconds
        while text not in self.shown and time.time() < end:
            if self.read(0.2) == b"":
                break
        if text not in self.shown:
            return False
        self.shown = self.shown.split(text, 1)[1]
        return True

    def play(self, verb, text):
        if verb == "send":
            os.write(self.terminal, text.encode().replace(b"\\e", b"\033"))
            return True
        if verb == "run":
            return subprocess.call(text, shell=True, stdin=subprocess.DEVNULL) == 0
        if verb == "wait":
            return self.wait(text.encode(), LIMIT)
        if verb == "quiet":
            seconds, text = text.split(" ", 1)
            return not self.wait(text.encode(), float(seconds))
        raise ValueError(verb)

    def finish(self):
        while self.read(10):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


session = Session(sys.argv[1], sys.argv[2:])
for line in sys.stdin:
    verb, _, text = line.rstrip("\n").partition(" ")
    if not session.play(verb, text):
        print("this did not happen:", line.strip())
        os.kill(session.child, 15)
        break
status = session.finish()
print("ended with", status)
sys.exit(status != 0)

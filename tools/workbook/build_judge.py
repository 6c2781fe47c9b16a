"""build_judge 03: updates the judge of lesson 03 and the runner of all lessons, in build/graders/bin/. build_judge python: the files that the runner
of gradings in Python needs. build_judge calls 03: the files that exercise 03 is linked with for profiling, and the file of the calls that it then
makes."""
import fcntl
import os
import subprocess
import sys
from pathlib import Path

from workbook import configuration
from workbook.messages import Failure

BIN = "build/graders/bin"
# The user's arguments to the outer make (-n, -j, V=2 ...) must not reach this one.
NOT_FOR_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "NVCC_APPEND_FLAGS")


def is_current(number: str, programs: list[str]) -> bool:
    """Whether no source file of a judge is newer than the programs: the same test as make's."""
    folders = ["tools/grading", "common", *map(str, Path("lessons").glob(f"lesson{number}_*"))]
    files = [entry for folder in folders for entry in os.scandir(folder) if entry.name.endswith((".cpp", ".h", "Makefile"))]
    try:
        made = min(os.stat(program).st_mtime_ns for program in programs)
        sources = [*(entry.stat().st_mtime_ns for entry in files), os.stat("emulator/emulator.h").st_mtime_ns, configuration.FILE.stat().st_mtime_ns]
        return max(sources) < made
    except OSError:
        return False


def build(what: str, settings: dict[str, str], calls: bool = False) -> None:
    """Two gradings at once: the second waits for the first. Failure: it does not build; the compiler's messages are on stderr."""
    wanted = [f"{BIN}/judge{what}", f"{BIN}/runner"]
    if what == "python":
        wanted = [f"{BIN}/confine.so"]
    elif calls:
        wanted = [f"{BIN}/call_exercise.o", f"{BIN}/{what}.jobs"]
    if not calls and what != "python" and is_current(what, wanted):
        return
    Path(BIN).mkdir(parents=True, exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if name not in NOT_FOR_MAKE}
    command = [os.environ.get("MAKE") or "make", "-s", "-j2", "-f", "tools/grading/Makefile"]
    command += [f"{name}={settings[name]}" for name in ("NVCC", "FLAGS")] + wanted
    log = Path("build/graders/bin.log")
    with open("build/graders/bin.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open(log, "wb") as output:
            status = subprocess.call(command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        if status != 0:
            sys.stderr.write(log.read_text("utf-8", "replace"))
            raise Failure(f"the judge of exercise {what} does not build.")


def main(arguments: list[str]) -> int:
    """build_judge 03 | python | calls 03"""
    calls = arguments[:1] == ["calls"]
    if len(arguments) != 1 + calls:
        print("usage: build_judge 03 | python | calls 03", file=sys.stderr)
        return 2
    build(arguments[-1], configuration.load(), calls)
    return 0

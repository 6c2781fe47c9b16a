"""The jail in which a submission is compiled and run, and the compiler in it (tools/jail, SECURITY.md)."""
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from workbook import build_tool
from workbook.messages import Failure, say, warn
from workbook.visible import visible_line

INSTALL = "sudo apt-get install bubblewrap     (Debian, Ubuntu)"


def is_others(file: str) -> bool:
    """Whether it is another person's file. A file in this workbook is the user's own, unless OTHERS=1 (or 0) is set for grading others."""
    asked = os.environ.get("OTHERS", "")
    return asked == "1" or (asked != "0" and not os.path.realpath(file).startswith(os.getcwd() + "/"))


def unsafe() -> bool:
    """UNSAFE=1: a teacher grades without a jail, aware of the risk."""
    return os.environ.get("UNSAFE") == "1"


class Jail:
    """`program`: tools/jail as it was built. `backend`: bubblewrap, landlock or none."""

    def __init__(self, file: str) -> None:
        """Raises Failure if another person's file would run without a jail."""
        self.file = file
        self.program = os.path.abspath(build_tool.build("jail"))
        asked = subprocess.run([self.program, "--which"], capture_output=True, stdin=subprocess.DEVNULL)
        self.reasons = [visible_line(line) for line in asked.stderr.splitlines()]
        if asked.returncode != 0:
            raise Failure("the jail for submissions does not work: " + " ".join(self.reasons))
        self.backend = asked.stdout.decode().strip()
        start = "bubblewrap does not start: "
        self.broken = next((line[len(start) :][:500] for line in self.reasons if line.startswith(start)), "")
        if self.backend == "none":
            self.refuse_without_jail()
        elif self.backend == "landlock" and self.broken:
            say(f"bubblewrap is installed and does not start ({self.broken}); Landlock confines the submission.")

    def refuse_without_jail(self) -> None:
        """The user's own file is graded anyway."""
        say(f"No jail works on this machine: {'; '.join(self.reasons)}.")
        if not is_others(self.file):
            say("Your own file is graded all the same, with your rights.")
        elif unsafe():
            warn("UNSAFE=1: the submission runs with your rights, and can read and change all your files.")
        else:
            mend = "bubblewrap is installed and has to start, see SECURITY.md; or " if self.broken else ""
            raise Failure(
                "a submission is not compiled and run without a jail: it would have your rights.",
                f"{mend}{INSTALL}, or Linux 5.13 with Landlock",
                "UNSAFE=1 grades it all the same.",
            )

    def leave_landlock(self, backend: str) -> None:
        """NVIDIA's driver does not start in Landlock's jail (on an H100: cudaErrorOperatingSystem), so the user's own file runs without a jail
        there."""
        if (backend, self.backend) != ("gpu", "landlock"):
            return
        if is_others(self.file) and not unsafe():
            raise Failure(
                "a submission is not run on a GPU here: NVIDIA's driver does not start in Landlock's jail.",
                f"BACKEND=cpu grades it on the emulator, or install bubblewrap: {INSTALL}",
                "UNSAFE=1 runs it with your rights.",
            )
        say(
            "NVIDIA's driver does not start in Landlock's jail: the file runs with your rights. "
            "Bubblewrap would shut it in (sudo apt-get install bubblewrap)."
        )
        self.backend = "none"


def compiler_programs(configuration: dict[str, str]) -> list[str]:
    """nvcc and its C++ compiler. A compiler in a home, as in ~/gcc-13/bin, is shown with its folder, but not the whole home."""
    found = []
    local = os.environ.get("HOME", "/root") + "/.local"
    for name in configuration["NVCC"], os.environ.get("NVCC_CCBIN") or configuration["HOST_COMPILER"] or "g++":
        program = shutil.which(name)
        if not program:
            continue
        found.append(os.path.abspath(program))
        folder = re.sub(r"/bin/(?:(?!/bin/).)*$", "", os.path.realpath(program))
        if not f"{local}/".startswith(folder + "/"):
            found.append(folder)
    return found


def compiler_views(configuration: dict[str, str], lesson: Path, work: Path) -> list[str]:
    """The paths that the compiler needs in addition to the system: from this workbook common/ and the scripts that compile."""
    parts = "tools/compile tools/toolchain tools/python tools/messages.sh build/configuration common emulator/emulator.h .toolchain".split()
    ours = [os.path.abspath(part) for part in parts] + [str(work / "submission"), str(work / "arch_of")]
    headers = [os.path.abspath(header) for header in sorted(lesson.glob("*.h"))]
    return [*ours, *headers, configuration["TOOLKIT"], configuration["TOOLKIT_LIB"], *compiler_programs(configuration)]


def run_compiler(jail: Jail, views: Sequence[str], work: Path, command: Sequence[str], more: dict[str, str]) -> bool:
    """Runs the command with these views in the jail; its output goes to WORK/compile.raw. `more`: environment variables. False: it failed, or took
    more than ten minutes."""
    out = work / "out"
    # The jail's own environment also has no user variables: a program in it can read those of its first process.
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(out), "TMPDIR": str(out / "tmp"), "CCACHE_DISABLE": "1"}
    environment.update({"QUIET": "1", "ALL_DEPENDENCIES": "1", "ARCH_OF": str(work / "arch_of")})
    if os.environ.get("NVCC_CCBIN"):
        environment["NVCC_CCBIN"] = os.environ["NVCC_CCBIN"]
    environment.update({name: value for name, value in more.items() if value})
    words = [jail.program, "--backend", jail.backend, "--hide", os.getcwd(), "--write", str(out), "--folder", os.getcwd()]
    words += ["--memory", "4096", "--file", "256", "--seconds", "300"]
    for view in views:
        words += ["--see", view] if view and os.path.exists(view) else []
    with open(work / "compile.raw", "wb") as raw:
        try:
            return subprocess.call([*words, "--", *command], env=environment, stdin=subprocess.DEVNULL, stdout=raw, stderr=raw, timeout=600) == 0
        except subprocess.TimeoutExpired:
            return False

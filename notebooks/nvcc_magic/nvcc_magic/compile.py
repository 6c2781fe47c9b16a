"""From a cell to an executable: nvcc's command line, and what it says."""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import diagnostics, machine as machines, options as option_words
from .diagnostics import Diagnostic
from .errors import Interrupted, OutputLimit, TimeLimit, ToolMissing
from .kept import SEARCHED
from .machine import Machine
from .options import Options
from .run import run
from .session import Session
from .source import own_architectures

COMPILE_SECONDS = 600  # a source can keep nvcc busy for ever
COMPILE_OUTPUT = 1_000_000
ARCHITECTURE = ("-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code")


@dataclass
class Compiled:
    """What came of it."""

    ok: bool
    target: Path
    messages: list[Diagnostic] = field(default_factory=list)
    rest: str = ""  # other words of nvcc
    command: list[str] = field(default_factory=list)


class Compiler:
    """nvcc with what the machine needs."""

    def __init__(self, machine: Machine, session: Session):
        self.machine = machine
        self.session = session
        self.architecture_of: list[Path] = []  # files that name one for the cell: an exercise's grader
        self.linked: list[str] = []  # what else a program is made of

    def flags(self, options: Options, sources: list[Path], gencode: bool = True) -> list[str]:
        """Those that come before the sources: ours, unless the user says otherwise."""
        flags = []
        if not any(re.fullmatch(r"-O[0-9a-z]?|--optimize(=.*)?", word) for word in options.nvcc):
            flags.append("-O1")  # the host's code: kernels are optimized in any case
        if not options.nvcc_has("-lineinfo", "--generate-line-info", "-G", "--device-debug"):
            flags.append("-lineinfo")
        if not options.nvcc_has("-std", "--std"):
            flags.append("-std=c++17")
        flags += ["-cudart", "shared"]
        if self.machine.host_compiler and not options.nvcc_has("-ccbin", "--compiler-bindir"):
            flags += ["-ccbin", self.machine.host_compiler]
        if gencode and not options.nvcc_has(*ARCHITECTURE):
            own = [word for source in [*sources, *self.architecture_of] for word in own_architectures(source.read_text(encoding="utf-8"))]
            flags += machines.gencode(self.machine, own)
            if not self.machine.gpu:
                flags.append("-DWITHOUT_GPU")  # as tools/compile/build.sh
        return flags

    def makes_machine_code(self, options: Options, sources: list[Path]) -> bool:
        """Whether nvcc calls ptxas for the program."""
        words = " ".join(self.flags(options, sources) + options.nvcc)
        return re.search(r"code=\[?(?:[^ ]*,)?sm_|-arch[= ](?:sm_|native|all)|--gpu-architecture[= ]sm_|--gpu-code[= ]sm_", words) is not None

    def behind(self, options: Options) -> list[str]:
        """What comes behind the sources: the user's words, and where headers are looked for."""
        return options.nvcc + [word for folder in self._folders() for word in ("-I", str(folder))]

    def _folders(self) -> list[Path]:
        return [self.session.folder, Path.cwd(), *([self.machine.project] if self.machine.project else [])]

    def searched(self) -> list[Path]:
        """The folders in which a cell's headers are looked for, but for the toolkit's and the system's, in their order."""
        paths = [os.environ[name] for name in SEARCHED if os.environ.get(name)]
        return self._folders() + [Path(folder) for path in paths for folder in path.split(":")]

    def program(self, options: Options, sources: list[Path]) -> Compiled:
        """An executable, with launches.c in it; the one that was made before, if nothing has changed."""
        target = Path(options.output) if options.output else self.session.folder / (sources[0].stem + ".out")
        behind = [*self.linked, *self.behind(options), str(self._watcher()), "-ldl", "-lpthread"]
        if not options.output:
            behind += ["-o", str(target)]
        words = self.flags(options, sources) + [str(s) for s in sources] + behind
        kept, key = self.session.kept, ""
        if not options.output:
            key = kept.key(options.nvcc, words, machines.clean_environment(), sources, self.searched())
        compiled: Compiled | None = kept.take(key, target)
        if compiled is None:
            compiled = self._nvcc(words, target)
            if compiled.ok:
                kept.keep(key, target, compiled)
        return compiled

    def object(self, options: Options, source: Path) -> Compiled:
        """A part of a program: is it correct by itself?"""
        target = self.session.folder / (source.stem + ".o")
        words = [*self.flags(options, [source]), "-c", str(source), *self.behind(options), "-o", str(target)]
        return self._nvcc(words, target)

    def as_told(self, options: Options, sources: list[Path]) -> Compiled:
        """Whatever the user's own flags make of it (-ptx, -shared, -E, --version); nvcc names the file itself."""
        files = [] if options.asks_only else [str(source) for source in sources]
        words = self.flags(options, sources) + files + self.behind(options)
        return self._nvcc(words, Path(options.output or "."))

    def device(self, options: Options, source: Path, kind: str, architecture: str) -> Compiled:
        """-ptx or -cubin for one architecture."""
        target = self.session.folder / f"{source.stem}.{kind}"
        said_here = (*ARCHITECTURE, "-o", "--output-file")
        kept, skip = [], False
        for word in options.nvcc:
            if skip or word in said_here:
                skip = not skip
            elif not word.startswith(tuple(f"{name}=" for name in said_here)):
                kept.append(word)
        plain = Options(nvcc=kept)
        command = [*self.flags(plain, [source], gencode=False), f"-arch={architecture}", f"-{kind}", str(source)]
        return self._nvcc([*command, *self.behind(plain), "-o", str(target)], target)

    def _watcher(self) -> Path:
        """launches.c, compiled once per session."""
        known = self.session.tools.get("launches")
        if known:
            return known
        target = self.session.folder / "nvcc_magic_launches.o"
        host = ["-ccbin", self.machine.host_compiler] if self.machine.host_compiler else []
        made = subprocess.run(
            [self.machine.nvcc, *host, "-O2", "-c", str(Path(__file__).with_name("launches.c")), "-o", str(target)],
            env=machines.clean_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )  # fmt: skip
        if made.returncode:
            raise ToolMissing(
                f"nvcc cannot compile C code on this machine:\n{made.stderr.strip() or made.stdout.strip()}"
            )
        self.session.tools["launches"] = target
        return target

    def _nvcc(self, words: list[str], target: Path) -> Compiled:
        command = [self.machine.nvcc, *words]
        outcome = run(command, machines.clean_environment(), lambda text: None, timeout=COMPILE_SECONDS,
                      max_output=COMPILE_OUTPUT)  # fmt: skip
        if outcome.stopped == "interrupt":
            raise Interrupted("nvcc was stopped.")
        if outcome.stopped == "time":
            raise TimeLimit(f"nvcc was stopped after {COMPILE_SECONDS} s.")
        if outcome.stopped == "output":
            raise OutputLimit(
                f"nvcc was stopped after {COMPILE_OUTPUT} characters of output; -o FILE writes to a file."
            )
        compiled = understand(outcome.output, outcome.status == 0, target)
        compiled.command = command
        return compiled


def understand(output: str, ok: bool, target: Path) -> Compiled:
    """What nvcc said, taken apart."""
    output = demangle(output)
    messages = diagnostics.parse(output)
    for message in messages:
        _add_hint(message)
    return Compiled(ok, target, messages, diagnostics.rest(output))


def demangle(text: str) -> str:
    """_Z3foov becomes foo(), where binutils are installed."""
    if "_Z" not in text or not shutil.which("c++filt"):
        return text
    return subprocess.run(["c++filt"], input=text, capture_output=True, text=True).stdout or text


def _add_hint(message: Diagnostic) -> None:
    """What to try, for messages that do not say it."""
    unknown = re.match(r"Unknown option '(--[^'=]*)", message.message)
    if unknown:
        near = difflib.get_close_matches(unknown[1], option_words.NAMES, 1)
        message.details.append(
            f"Did you mean {near[0]}?" if near else "It is neither nvcc's nor one of %%nvcc's own options."
        )
    if re.search(r"undefined reference to .main'", message.message):
        message.details.append("There is no main() in this cell, so no program can be made of it.")
    if "Unresolved extern function" in message.message:
        message.details.append("A __device__ function that stands in another file needs -rdc=true.")
    if re.search(r"cannot open source file|No such file or directory", message.message) and message.file:
        message.details.append(
            f"Headers are looked for among the cells saved with --name, and in {os.getcwd()}; -I adds a folder."
        )

"""The line after %%nvcc: our options, nvcc's, and the program's arguments behind `--`.

Ours are long and listed here. Every other word goes to nvcc, in its order. A few of nvcc's options take the next word
as their value, whatever that looks like (-Xcompiler --time): such a word is never taken for one of ours.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, field
from typing import Callable

from .errors import OptionError

SANITIZE_TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck", "leak", "all")
BACKENDS = ("auto", "gpu", "cpu")
HEADERS = (".h", ".cuh", ".hpp", ".hh", ".inl", ".inc")
SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c")

KERNEL = re.compile(r"[A-Za-z_][A-Za-z0-9_:]*")  # a kernel's name or a part of it; a file has a dot or a slash
NUMBER = re.compile(r"[0-9]+")
EXERCISE = re.compile(r"([0-9]+)([a-z]?)")  # 03, and 03b, which is a further one of its lesson

# nvcc's options whose value is the next word.
NVCC_TAKES_VALUE = frozenset(
    """-I -isystem -include -D -U -L -l -o -x -m -O -std -arch -code -gencode -ccbin -cudart -cudadevrt -rdc
    -maxrregcount -Xcompiler -Xptxas -Xlinker -Xnvlink -Xarchive -Xfatbin -Xcudafe -t -time -default-stream -ftz -fmad
    -prec-div -prec-sqrt -Werror -diag-suppress -diag-error -diag-warn -MF -MT -odir --include-path --system-include
    --pre-include --define-macro --undefine-macro --library-path --library --output-file --x --machine --optimize
    --gpu-architecture --gpu-code --generate-code --compiler-bindir --cudart --cudadevrt --relocatable-device-code
    --maxrregcount --compiler-options --ptxas-options --linker-options --nvlink-options --archive-options
    --default-stream --ftz --fmad --prec-div --prec-sqrt --std --threads --Werror --diag-suppress --diag-error
    --diag-warn --dependency-output --dependency-target-name --output-directory --split-compile""".split()
)

# With one of these nvcc makes no executable, so there is nothing to link with or to run.
NVCC_MAKES_NO_PROGRAM = frozenset(
    """-c -dc -dw -ptx -cubin -fatbin -optix-ir -E -M -MM -lib -dlink -cuda -dryrun -shared -h -V --compile --device-c
    --device-w --cubin --fatbin --preprocess --generate-dependencies --lib --device-link --cuda --dryrun --shared --help
    --version --list-gpu-arch --list-gpu-code""".split()
)


@dataclass
class Options:
    """The words of one %%nvcc line."""

    run: bool | None = None  # None: when the cell has a main
    name: str = ""
    parts: list[str] = field(default_factory=list)  # --with
    ptx: str | None = None  # the kernel's name, "" for all, None for not asked; so are the next ones
    sass: str | None = None
    profile: str | None = None
    sanitize: str | None = None
    view: str | None = None
    grade: str = ""
    exercise: str = ""
    time: bool = False
    backend: str = ""
    timeout: float | None = None  # seconds; None: not said
    max_output: int = 1_000_000
    nvcc: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)

    @property
    def makes_program(self) -> bool:
        return not any(word in NVCC_MAKES_NO_PROGRAM for word in self.nvcc)

    @property
    def asks_only(self) -> bool:
        """Whether nvcc is asked about itself, so that no source is needed."""
        return self.nvcc_has("--version", "-V", "--help", "-h", "--list-gpu-arch", "--list-gpu-code")

    @property
    def asks_ptxas(self) -> bool:
        """Whether nvcc is to have ptxas tell what kernels need."""
        told = " ".join(self.nvcc)
        wanted = re.search(r"(?:-Xptxas|--ptxas-options)[= ]\S*(?:-v\b|--verbose|-warn-|--warn-)", told)
        return self.makes_program and bool(wanted or self.nvcc_has("-res-usage", "--resource-usage"))

    @property
    def saves_only(self) -> bool:
        return self.name.endswith(HEADERS)

    def nvcc_has(self, *names: str) -> bool:
        """Whether nvcc is given one of these options, with its value attached (-std=c++20, -O2) or apart."""
        return any(word == name or word.startswith(name + "=") for word in self.nvcc for name in names)

    @property
    def output(self) -> str:
        """The file of nvcc's own -o, or nothing."""
        for at, word in enumerate(self.nvcc):
            if word in ("-o", "--output-file") and at + 1 < len(self.nvcc):
                return self.nvcc[at + 1]
            if word.startswith(("-o=", "--output-file=")):
                return word.split("=", 1)[1]
        return ""


class _Words:
    """The words of the line, one after the other."""

    def __init__(self, line: str):
        try:
            self.words = shlex.split(line)
        except ValueError as error:
            raise OptionError(f"{error} in: {line}") from None
        self.at = 0

    def __bool__(self) -> bool:
        return self.at < len(self.words)

    def take(self) -> str:
        self.at += 1
        return self.words[self.at - 1]

    def peek(self) -> str:
        return self.words[self.at] if self else ""

    def rest(self) -> list[str]:
        rest, self.at = self.words[self.at :], len(self.words)
        return rest


def parse(line: str) -> Options:
    """Reads the line after %%nvcc. Raises OptionError."""
    options = Options()
    words = _Words(line)
    while words:
        word = words.take()
        if word == "--":
            options.arguments = words.rest()
        elif word in NVCC_TAKES_VALUE:
            options.nvcc.append(word)
            if words:
                options.nvcc.append(words.take())
        else:
            name, equals, attached = word.partition("=")
            reader = _OURS.get(name)
            if reader:
                reader(options, name, attached if equals else None, words)
            else:
                options.nvcc.append(word)
    _check(options)
    return options


# --- one reader for each kind of option ---

Reader = Callable[[Options, str, "str | None", _Words], None]


def _value(option: str, attached: str | None, words: _Words, meaning: str) -> str:
    value = attached
    if value is None and words and not words.peek().startswith("-"):
        value = words.take()
    if not value:
        raise OptionError(f"{option} needs {meaning}.")
    return value


def _optional(attribute: str, pattern: re.Pattern[str], meaning: str) -> Reader:
    """An option with or without a value: the next word is its value if it looks like one."""

    def read(options: Options, option: str, attached: str | None, words: _Words) -> None:
        value = attached
        if value is None:
            value = words.take() if pattern.fullmatch(words.peek()) else ""
        elif not pattern.fullmatch(value):
            raise OptionError(f"{option}={value}: it takes {meaning}.")
        setattr(options, attribute, value)

    return read


def _read_sanitize(options: Options, option: str, attached: str | None, words: _Words) -> None:
    """A word that looks like a tool's name, and is none, is a mistake and not for nvcc."""
    value = attached if attached is not None else words.peek()
    if value in SANITIZE_TOOLS:
        options.sanitize = value if attached is not None else words.take()
    elif attached is not None or re.fullmatch(r"[a-z]+", value):
        raise OptionError(f"--sanitize {value}: it takes one of {', '.join(SANITIZE_TOOLS)}.")
    else:
        options.sanitize = ""


def _flag(attribute: str, value: bool) -> Reader:
    def read(options: Options, option: str, attached: str | None, words: _Words) -> None:
        if attached is not None:
            raise OptionError(f"{option} takes no value.")
        setattr(options, attribute, value)

    return read


def _read_name(options: Options, option: str, attached: str | None, words: _Words) -> None:
    name = _value(option, attached, words, "a file's name, for example --name util.h")
    _check_file_name(option, name)
    options.name = name


def _read_with(options: Options, option: str, attached: str | None, words: _Words) -> None:
    names = [attached] if attached else []
    while not attached and words and not words.peek().startswith("-"):
        names.append(words.take())
    if not names:
        raise OptionError("--with needs the names of saved cells, for example --with kernels.cu")
    for name in names:
        _check_file_name(option, name)
    options.parts += names


def _check_file_name(option: str, name: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*", name):
        raise OptionError(f"{option} {name}: a plain file name, without folders.")
    if not name.endswith(HEADERS + SOURCES):
        raise OptionError(f"{option} {name}: a name that ends in {', '.join(HEADERS + SOURCES)}.")


def _number_of_exercise(attribute: str) -> Reader:
    def read(options: Options, option: str, attached: str | None, words: _Words) -> None:
        value = _value(option, attached, words, f"the number of an exercise, for example {option} 03")
        match = EXERCISE.fullmatch(value)
        if not match:
            raise OptionError(f"{option} {value}: the number of an exercise, for example 03.")
        setattr(options, attribute, f"{int(match[1]):02d}{match[2]}")

    return read


def _read_backend(options: Options, option: str, attached: str | None, words: _Words) -> None:
    options.backend = _value(option, attached, words, "auto, gpu or cpu")
    if options.backend not in BACKENDS:
        raise OptionError(f"--backend {options.backend}: it is auto, gpu or cpu.")


def seconds_of(value: str, where: str) -> float:
    """A limit that somebody has set; `where` names it in the OptionError for what is no such number."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e9:
        raise OptionError(f"{where}: a number of seconds, 0 for no limit.")
    return seconds


def _read_timeout(options: Options, option: str, attached: str | None, words: _Words) -> None:
    value = _value(option, attached, words, "a number of seconds, 0 for no limit")
    options.timeout = seconds_of(value, f"--timeout {value}")


def _read_max_output(options: Options, option: str, attached: str | None, words: _Words) -> None:
    value = _value(option, attached, words, "a number of characters")
    if not NUMBER.fullmatch(value) or int(value) == 0:
        raise OptionError(f"--max-output {value}: a number of characters, at least 1.")
    options.max_output = int(value)


_OURS = {
    "--run": _flag("run", True),
    "--no-run": _flag("run", False),
    "--time": _flag("time", True),
    "--name": _read_name,
    "--with": _read_with,
    "--ptx": _optional("ptx", KERNEL, "a kernel's name"),
    "--sass": _optional("sass", KERNEL, "a kernel's name"),
    "--profile": _optional("profile", KERNEL, "a kernel's name"),
    "--sanitize": _read_sanitize,
    "--view": _optional("view", NUMBER, "the number of a line"),
    "--grade": _number_of_exercise("grade"),
    "--exercise": _number_of_exercise("exercise"),
    "--backend": _read_backend,
    "--timeout": _read_timeout,
    "--max-output": _read_max_output,
}

NAMES = tuple(_OURS)


# --- what does not go together ---


def needs_run(options: Options) -> list[str]:
    """What was asked for that needs the program to run."""
    asked = [name for name in ("sanitize", "profile", "view") if getattr(options, name) is not None]
    return asked + ["time"] if options.time else asked


def _check(options: Options) -> None:
    runs = needs_run(options)
    listed = [name for name in ("ptx", "sass") if getattr(options, name) is not None]
    if options.nvcc_has("-cudart", "--cudart"):
        raise OptionError("-cudart shared is always used: the GPU or the emulator is chosen when the program starts.")
    if "-run" in options.nvcc:
        raise OptionError("-run: nvcc would run the program itself. %%nvcc runs it unless told --no-run.")
    if options.run is False and runs:
        raise OptionError(f"--no-run and --{runs[0]}: the latter needs the program to run.")
    if len(runs) > 1 and runs != ["profile", "view"]:
        raise OptionError(f"--{runs[0]} and --{runs[1]}: one at a time, they would disturb each other.")
    if options.saves_only and (runs or listed or options.grade or options.parts or options.run or options.nvcc):
        raise OptionError(f"--name {options.name}: a header is only saved, so nothing else can be asked of the cell.")
    if options.grade and options.exercise:
        raise OptionError("--grade judges the exercise, --exercise only calls it: one of the two.")
    if options.exercise and (options.name or options.parts or options.output or not options.makes_program):
        raise OptionError("--exercise makes a program of this cell alone: --name, --with, -o and their kind do not go with it.")
    if options.grade and (
        runs or listed or options.name or options.parts or options.nvcc or options.arguments or options.run is not None
    ):
        raise OptionError(
            "--grade compiles and runs the cell as the grader wants it: "
            "of the other options only --timeout and --backend go with it."
        )
    if not options.makes_program and (runs or options.run):
        raise OptionError("nvcc is told to make something other than a program: there is nothing to run.")


def backend_of(options: Options) -> str:
    """--backend, else the variable BACKEND, as for make, else auto."""
    backend = options.backend or os.environ.get("BACKEND") or "auto"
    if backend not in BACKENDS:
        raise OptionError(f"BACKEND={backend}: it is auto, gpu or cpu.")
    return backend

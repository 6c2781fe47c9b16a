"""%%nvcc: what happens from the cell to what it shows."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.display import display

from . import __version__, listing, machine as machines, options as option_words, render, report
from .compile import Compiled, Compiler, demangle, understand
from .errors import CompileError, NotPassed, NvccError, OptionError, ToolMissing
from .execute import Execution, find_sanitizer
from .grade import NO_CHECKOUT, grade
from .machine import Machine
from .options import Options
from .session import MAGIC_LINE, Session
from .source import has_main, own_architectures

_loaded = None


def load(shell) -> None:
    """Registers the magics and says what kernels will run on."""
    global _loaded
    if _loaded:
        unload(shell)
    _loaded = NvccMagics(shell)
    shell.register_magics(_loaded)
    shell.events.register("pre_run_cell", _loaded.session.remember)
    try:
        print(f"nvcc_magic {__version__}: {_loaded.machine.describe()}")
    except NvccError as error:
        print(f"nvcc_magic {__version__}: {error}")


def unload(shell) -> None:
    global _loaded
    if _loaded:
        shell.events.unregister("pre_run_cell", _loaded.session.remember)
        for name in ("nvcc", "cuda"):
            shell.magics_manager.magics["cell"].pop(name, None)
        shutil.rmtree(_loaded.session.folder, ignore_errors=True)
        _loaded = None


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _show(shown: render.Shown) -> None:
    sys.stdout.flush()
    display(shown.bundle(), raw=True)


@magics_class
class NvccMagics(Magics):
    """The cell magics %%nvcc and %%cuda."""

    def __init__(self, shell):
        super().__init__(shell)
        self.session = Session()
        self._machine: Machine | None = None

    @property
    def machine(self) -> Machine:
        """Looked for once; after a failure again with the next cell."""
        if self._machine is None:
            self._machine = machines.find_machine()
        return self._machine

    @cell_magic
    def nvcc(self, line, cell):
        """Compile and run this cell: %%nvcc [options] [nvcc flags] [-- program args]. See nvcc_magic's README."""
        Cell(self, option_words.parse(line), cell).do()

    @cell_magic
    def cuda(self, line, cell):
        """The same as %%nvcc."""
        self.nvcc(line, cell)


class Cell:
    """One cell on its way."""

    def __init__(self, magics: NvccMagics, options: Options, body: str):
        self.magics, self.session, self.options, self.body = magics, magics.session, options, body

    def do(self) -> None:
        options = self.options
        self.file = self.session.save(options.name, self.body)
        if options.saves_only:
            print(f'{options.name} is saved: #include "{options.name}"')
            return
        self.machine = self.magics.machine
        self.compiler = Compiler(self.machine, self.session)
        if options.grade:
            self._grade()
            return
        sources = [self.file, *(self.session.saved(name) for name in options.parts)]
        if not options.makes_program:
            self._check_compiled(self.compiler.as_told(options, sources), said=True)
            return
        runs = self._wants_program(sources)
        backend = self._backend() if runs and options.run is not False else ""
        compiled = self.compiler.program(options, sources) if runs else self.compiler.object(options, self.file)
        self._check_compiled(compiled)
        if not runs:
            self._say_nothing_ran()
        for kind in ("ptx", "sass"):
            if getattr(options, kind) is not None:
                self._list(kind, getattr(options, kind))
        if backend:
            self._run(compiled.target, backend)

    def _say_nothing_ran(self) -> None:
        if self.options.name:
            print(f"{self.options.name} is saved and compiled: a later cell takes it with --with {self.options.name}")
        elif self.options.ptx is None and self.options.sass is None:
            print("compiled; there is no main() in this cell, so nothing was run")

    # --- before ---

    def _wants_program(self, sources: list[Path]) -> bool:
        """Without a main there is nothing to run: a part of a program, or a kernel to look at."""
        options = self.options
        if options.run or options.output or any(has_main(source.read_text(encoding="utf-8")) for source in sources):
            return True
        asked = [name for name in ("sanitize", "profile", "view") if getattr(options, name) is not None] + [
            "time"
        ] * options.time
        if asked or options.parts:
            raise OptionError(f"--{asked[0] if asked else 'with'}: no main() in this cell, so there is nothing to run.")
        return False

    def _backend(self) -> str:
        """gpu or cpu; says so where what was asked for needs another one than usual."""
        options, machine = self.options, self.machine
        wanted = option_words.backend_of(options)
        counted = "profile" if options.profile is not None else "view" if options.view is not None else ""
        if counted:
            if wanted == "gpu":
                raise OptionError(
                    f"--{counted} counts on the emulator, not on a GPU. Leave out --backend gpu; NVIDIA's own profiler is ncu."
                )
            if wanted == "auto" and machine.gpu:
                print(f"--{counted}: on the emulator, which counts what a GPU would")
            wanted = "cpu"
        if options.sanitize is not None and wanted == "auto" and machine.gpu and not find_sanitizer(machine):
            print("--sanitize: on the emulator, for there is no compute-sanitizer here")
            wanted = "cpu"
        backend = machines.choose_backend(machine, wanted)
        self.emulator = machines.require_emulator(machine, _say) if backend == "cpu" else None
        return backend

    # --- compiling ---

    def _lines_of(self, name: str) -> list[str]:
        """A source's lines, for those that it is the student's business to look at."""
        try:
            lines = Path(name).read_text(encoding="utf-8", errors="replace").rstrip("\n").split("\n") if name else []
        except OSError:
            return []
        return ["%%nvcc" if line == MAGIC_LINE else line for line in lines]

    def _check_compiled(self, compiled: Compiled, said: bool = False) -> None:
        """Shows what nvcc says. Raises CompileError."""
        rest = compiled.rest
        if said and compiled.ok and rest.strip():
            _say(self.session.shown(rest) + "\n")
            rest = ""
        if compiled.messages or (rest.strip() and not compiled.ok):
            _show(
                render.compiler_messages(
                    compiled.messages, rest, self.session.cell_name, self.session.shown, self._lines_of
                )
            )
        elif rest.strip():
            _say(self.session.shown(rest) + "\n")
        if compiled.ok:
            return
        errors = [m for m in compiled.messages if m.severity == "error"]
        if not errors:
            raise CompileError(
                "nvcc failed." if rest.strip() else f"nvcc failed without a word: {' '.join(compiled.command)}"
            )
        place = render.place_of(errors[0], self.session.cell_name, self.session.shown)
        more = f" (and {render.plural(len(errors) - 1, 'further error')})" if len(errors) > 1 else ""
        raise CompileError(f"{place}: {self.session.shown(errors[0].message)}{more}")

    def _list(self, kind: str, kernel: str) -> None:
        """--ptx and --sass."""
        number = self._architecture()
        if kind == "ptx":
            architecture = f"compute_{number}"
            made = self.compiler.device(self.options, self.file, "ptx", architecture)
            self._check_compiled(made)
            found = listing.parse_ptx(made.target.read_text(encoding="utf-8"))
        else:
            disassembler = self._disassembler()
            architecture = f"sm_{number if self.machine.gpu or own_architectures(self.body) else '90'}"
            made = self.compiler.device(self.options, self.file, "cubin", architecture)
            self._check_compiled(made)
            listed = subprocess.run([disassembler, "-c", "-g", str(made.target)], capture_output=True, text=True)
            found = listing.parse_sass(listed.stdout)
        for function in found:
            function.name = demangle(function.name).strip()
        chosen = [function for function in found if kernel in function.name]
        if not chosen:
            names = ", ".join(function.name for function in found) or "none"
            raise OptionError(f"--{kind} {kernel}: no such kernel. There are: {names}.")
        chosen.sort(key=lambda function: not function.kernel)
        _show(render.functions(chosen, kind.upper(), architecture, self.session.shown, self._lines_of))

    def _architecture(self) -> str:
        """The newest one that the cell is compiled for."""
        flags = self.compiler.flags(self.options, [self.file]) + self.options.nvcc
        numbers = [word for flag in flags for word in flag.replace(",", "=").split("=")]
        return [word.split("_", 1)[1] for word in numbers if word.startswith(("compute_", "sm_"))][-1]

    def _disassembler(self) -> str:
        beside = Path(os.path.realpath(self.machine.nvcc)).with_name("nvdisasm")
        found = shutil.which("nvdisasm") or (str(beside) if beside.exists() else "")
        if not found:
            raise ToolMissing(
                "--sass needs NVIDIA's nvdisasm, which comes with the full CUDA toolkit and is not here. --ptx needs nothing more."
            )
        return found

    # --- running ---

    def _run(self, program: Path, backend: str) -> None:
        execution = Execution(self.machine, self.session, self.options, backend, self.emulator)
        if self.options.time and backend == "cpu":
            why = f"no GPU: {self.machine.gpu_reason}" if not self.machine.gpu else "--backend cpu"
            print(f"--time: n/a, the kernels run on the emulator ({why}), and its speed says nothing about a GPU's")
            self.options.time = False
        outcome = execution.run(program, _say)
        if outcome.output and not outcome.output.endswith("\n"):
            _say("\n")
        if execution.launches.unfinished and backend == "gpu":  # the emulator tells it itself
            print("The program ended before its kernels were done. A launch returns at once: wait with cudaDeviceSynchronize().")
        self._show_report(execution)
        if self.options.time:
            self._show_times(execution)
        execution.judge()
        if self.options.sanitize is not None and backend == "cpu" and not execution.findings:
            tools = (
                "memcheck, racecheck, synccheck, initcheck, leak"
                if self.options.sanitize in ("", "all")
                else self.options.sanitize
            )
            print(f"--sanitize: nothing found ({tools})")

    def _show_report(self, execution: Execution) -> None:
        """--profile and --view."""
        if self.options.profile is None and self.options.view is None:
            return
        text = execution.report.read_text(encoding="utf-8", errors="replace") if execution.report.exists() else ""
        text = report.in_notebook(text)
        text, pictures = report.split_pictures(text, execution.pictures)
        text, nothing_to_draw = report.split_remark(self.session.shown(text))
        if self.options.profile is not None:
            kernels, remark = report.parse(text)
            if kernels:
                _show(render.profile(kernels, remark, text, self._lines_of(str(self.file))))
            else:
                print(f"--profile: {text.strip() or 'no kernel was counted'}")
        if self.options.view is not None:
            if pictures:
                _show(render.pictures(pictures))
            else:
                print(f"--view: {nothing_to_draw or 'nothing to draw: no kernel accesses memory'}")

    def _show_times(self, execution: Execution) -> None:
        """--time: per kernel and shape of its launch."""
        groups: dict[tuple[str, str, str], list[float]] = {}
        for kernel, grid, block, milliseconds in execution.launches.times:
            groups.setdefault((kernel, grid, block), []).append(float(milliseconds) * 1000)
        head = ("kernel", "blocks", "threads", "launches", "first us", "median us", "least us")
        rows = [
            (
                demangle(name).strip(),
                grid,
                block,
                str(len(times)),
                *(f"{t:.1f}" for t in (times[0], statistics.median(times), min(times))),
            )
            for (name, grid, block), times in groups.items()
        ]
        remarks = (
            [f"measured with events on {self.machine.gpu}; a few microseconds of each are the launch's own"]
            if rows
            else []
        )
        remarks += [f"{number} launches are not timed: {reason}" for reason, number in execution.launches.untimed]
        _show(render.times(rows, head, remarks or ["--time: no kernel was launched"]))

    # --- grading ---

    def _grade(self) -> None:
        if not self.machine.project:
            raise ToolMissing(NO_CHECKOUT)
        backend = machines.choose_backend(self.machine, option_words.backend_of(self.options))
        if backend == "cpu":
            machines.require_emulator(self.machine, _say)
        print(f"grading this cell as exercise {self.options.grade} ...", flush=True)
        grading = grade(self.machine, self.options.grade, self.file, backend, self.options.timeout)
        if grading.verdict == "compile_error":
            self._check_compiled(understand(grading.compiler, False, self.file))
        _show(render.grade(self.options.grade, grading.verdict, grading.tests, grading.message, grading.output))
        if grading.verdict != "pass":
            raise NotPassed(f"exercise {self.options.grade}: {grading.verdict}")

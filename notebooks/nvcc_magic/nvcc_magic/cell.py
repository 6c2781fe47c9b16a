"""One cell: from its text to what it shows."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path
from typing import Callable

from IPython.display import clear_output, display

from . import listing, machine as machines, options as option_words, render, report
from .compile import ARCHITECTURE, Compiled, Compiler, demangle, understand
from .errors import CompileError, KernelError, LaunchError, NotPassed, OptionError, ProgramError, ToolMissing
from .execute import Execution
from .exercise import Calls, calls_of, program_in_python
from .grade import checkout, grade, next_after, record, solution_of, suffix_of
from .judge import judge
from .machine import Machine
from .options import Options
from .run import Outcome
from .session import MAGIC_LINE, Session
from .source import has_main, own_architectures
from .unchanged import can_stand_in, program_of


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _show(shown: render.Shown) -> None:
    sys.stdout.flush()
    display(shown.bundle(), raw=True)


class Cell:
    """One cell on its way. `find_machine` is asked when the machine is needed: a header is saved without."""

    def __init__(self, session: Session, find_machine: Callable[[], Machine], options: Options, body: str):
        self.session, self.find_machine, self.options, self.body = session, find_machine, options, body

    def do(self) -> None:
        options = self.options
        self.file = self.session.save(options.name, self.body)
        if options.saves_only:
            print(f'{options.name} is saved: #include "{options.name}"')
            return
        self.machine = self.find_machine()
        self.session.known_folders = [Path.cwd(), *([self.machine.project] if self.machine.project else [])]
        self.compiler = Compiler(self.machine, self.session)
        if options.grade:
            self._grade()
            return
        if options.exercise and self._suffix() != "cu":
            self._call_in_python()
            return
        self.calls = self._calls()
        sources = [self.file, *(self.session.saved(name) for name in options.parts)]
        if not options.makes_program:
            self._check_compiled(self.compiler.as_told(options, sources))
            return
        runs = self._wants_program(sources)
        backend = self._backend() if runs and options.run is not False else ""
        if backend and self._runs_unchanged(backend):
            return
        compiled = self.compiler.program(options, sources) if runs else self.compiler.object(options, self.file)
        self._check_compiled(compiled)
        if not runs:
            self._say_nothing_ran()
        elif options.run is False and options.ptx is None and options.sass is None:
            print("compiled, and not run: --no-run")
        self._show_resources(sources)
        for kind in ("ptx", "sass"):
            if getattr(options, kind) is not None:
                self._list(kind, getattr(options, kind), sources)
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
        if options.exercise:
            return True
        if options.run or options.output or any(has_main(source.read_text(encoding="utf-8")) for source in sources):
            return True
        asked = option_words.needs_run(options) + (["with"] if options.parts else [])
        if asked:
            raise OptionError(f"--{asked[0]}: no main() in this cell, so there is nothing to run.")
        return False

    def _backend(self) -> str:
        """gpu or cpu; says so where what was asked for needs another one than usual."""
        options, machine = self.options, self.machine
        wanted = option_words.backend_of(options)
        counted = "profile" if options.profile is not None else "view" if options.view is not None else ""
        if counted:
            if wanted == "gpu":
                raise OptionError(
                    f"--{counted} counts on the emulator, not on a GPU. Leave out --backend gpu; "
                    "the GPU's own profiler is NVIDIA's ncu."
                )
            if wanted == "auto" and machine.gpu:
                print(f"--{counted}: on the emulator, which counts what a GPU would")
            wanted = "cpu"
        if options.sanitize is not None and wanted == "auto" and machine.gpu and not machines.find_tool(machine, "compute-sanitizer"):
            print("--sanitize: on the emulator, for there is no compute-sanitizer here")
            wanted = "cpu"
        backend = machines.choose_backend(machine, wanted)
        self.emulator = machines.require_emulator(machine) if backend == "cpu" else None
        return backend

    # --- compiling ---

    def _calls(self) -> Calls | None:
        """--exercise: who calls the functions in this cell, with what."""
        if not self.options.exercise:
            return None
        if has_main(self.file.read_text(encoding="utf-8")):
            raise OptionError("--exercise: a program is made of this cell that calls its functions, so it can have no main().")
        calls = calls_of(self.machine, self.options.exercise)
        self.compiler.architecture_of = [calls.grader]
        self.compiler.linked = [str(calls.program), "-Xlinker", "--export-dynamic", "-diag-suppress", "177,550"]
        return calls

    def _suffix(self) -> str:
        """What the exercise that is called is written in."""
        return suffix_of(self.machine, self.options.exercise) if self.machine.project else "cu"

    def _call_in_python(self) -> None:
        """--exercise of one in Python, or in C++ for Python: that is no program of nvcc's."""
        number, self.calls = self.options.exercise, None
        listed = "ptx" if self.options.ptx is not None else "sass" if self.options.sass is not None else ""
        if listed or self.options.time or self.options.nvcc:
            raise OptionError(f"--exercise {number}: its kernels are made by Python, so --profile, --sanitize and --view go with it, and "
                              f"nothing else{f'; make exercise{number} {listed} lists them' if listed else ''}.")  # fmt: skip
        backend = self._backend()
        self.file = self.session.named(self.file, self._suffix())
        self._run(program_in_python(self.machine, number, self.file), backend)

    def _lines_of(self, name: str) -> list[str]:
        """A source's lines, for those that it is the student's business to look at."""
        try:
            lines = Path(name).read_text(encoding="utf-8", errors="replace").rstrip("\n").split("\n") if name else []
        except OSError:
            return []
        return ["%%nvcc" if line == MAGIC_LINE else line for line in lines]

    def _check_compiled(self, compiled: Compiled) -> None:
        """Shows what nvcc says. Raises CompileError."""
        session, rest = self.session, compiled.rest.strip()
        if compiled.ok and rest:
            _say(session.shown(rest) + "\n")
            rest = ""
        if compiled.messages or rest:
            said = render.compiler_messages(compiled.messages, rest, session.cell_name, session.shown, self._lines_of)
            _show(said)
        if compiled.ok:
            return
        errors = [m for m in compiled.messages if m.severity == "error"]
        if not errors:
            raise CompileError("nvcc failed." if rest else f"nvcc failed without a word: {' '.join(compiled.command)}")
        place = render.place_of(errors[0], self.session.cell_name, self.session.shown)
        more = f" (and {render.plural(len(errors) - 1, 'further error')})" if len(errors) > 1 else ""
        raise CompileError(f"{place}: {self.session.shown(errors[0].message)}{more}")

    def _show_resources(self, sources: list[Path]) -> None:
        """-Xptxas -v: without a GPU the program holds PTX alone, so nvcc has not called ptxas. Here it is called for its words."""
        compiler, options = self.compiler, self.options
        if not options.asks_ptxas or compiler.makes_machine_code(options, sources):
            return
        architecture = self._architecture("sass")
        if not machines.find_tool(self.machine, "ptxas"):
            print("-Xptxas: without a GPU this cell is compiled to PTX, and ptxas, which makes machine code of that, is not here.")
            return
        print(f"-Xptxas: without a GPU this cell is compiled to PTX alone. What ptxas says of it for {architecture}:")
        for source in sources:
            made = compiler.device(options, source, "cubin", architecture)
            self._check_compiled(made)

    def _list(self, kind: str, kernel: str, sources: list[Path]) -> None:
        """--ptx and --sass."""
        architecture = self._architecture(kind)
        found = [function for source in sources for function in self._functions(kind, architecture, source)]
        for function in found:
            function.name = demangle(function.name).strip()
        chosen = [function for function in found if kernel in function.name]
        if not chosen:
            names = ", ".join(function.name for function in found) or "none"
            raise OptionError(f"--{kind} {kernel}".strip() + f": there is no such kernel. There are: {names}.")
        chosen.sort(key=lambda function: not function.kernel)
        _show(render.functions(chosen, kind.upper(), architecture, self.file.name, self.session.shown, self._lines_of))

    def _functions(self, kind: str, architecture: str, source: Path) -> list[listing.Function]:
        disassembler = self._disassembler() if kind == "sass" else ""
        made = self.compiler.device(self.options, source, "cubin" if disassembler else "ptx", architecture)
        if not made.ok:  # its warnings were shown with the program's
            self._check_compiled(made)
        if not disassembler:
            return listing.parse_ptx(made.target.read_text(encoding="utf-8"))
        listed = subprocess.run([disassembler, "-c", "-g", str(made.target)], capture_output=True, text=True)
        return listing.parse_sass(listed.stdout)

    def _architecture(self, kind: str) -> str:
        """The newest one that the cell is compiled for. Where that is none of a GPU, machine code is an H200's."""
        flags = self.compiler.flags(self.options, [self.file]) + self.options.nvcc
        words = [word for flag in flags for word in flag.replace(",", "=").split("=")]
        named = [word for word in words if word.startswith(("compute_", "sm_"))]
        number = named[-1].split("_", 1)[1]
        if kind == "ptx":
            return f"compute_{number}"
        chosen = self.machine.gpu or own_architectures(self.body) or self.compiler.architecture_of or self.options.nvcc_has(*ARCHITECTURE)
        return f"sm_{number if chosen else '90'}"

    def _disassembler(self) -> str:
        """nvdisasm, where `make lesson03 sass` finds it."""
        found = machines.find_tool(self.machine, "nvdisasm")
        if found:
            return found
        raise ToolMissing(
            "--sass needs NVIDIA's nvdisasm, which comes with the full CUDA toolkit and is not here. "
            "--ptx needs nothing more. In the workbook's folder, this gets nvdisasm (5 MB):\n"
            "python3 -m pip install --target .toolchain/nvdisasm nvidia-cuda-nvdisasm"
        )

    # --- running ---

    def _runs_unchanged(self, backend: str) -> bool:
        """Whether the cell was an unchanged part of a program, and that program, compiled for an earlier cell perhaps, ran in its place and had
        nothing to say of its lines: those of the cell, which a student sees, have other numbers.
        """
        program = program_of(self.file, self.compiler.searched()) if can_stand_in(self.options, self.file) else None
        if not program:
            return False
        compiled = self.compiler.program(self.options, [program])
        if not compiled.ok or compiled.messages or compiled.rest.strip():
            return False
        try:
            outcome = self._run(compiled.target, backend)
        except (KernelError, LaunchError, ProgramError):
            clear_output()
            return False
        if program.name in outcome.output:
            clear_output()
            return False
        return True

    def _run(self, program: Path, backend: str) -> Outcome:
        """Shows what the program says, and what is known of its run. Raises what judge does."""
        execution = Execution(self.machine, self.session, self.options, backend, self.emulator)
        if self.calls:
            execution.more["EXERCISE_JOBS"] = str(self.calls.jobs)
            execution.more["EXERCISE_CALLS"] = "all" if self.options.sanitize is not None else ""
        if self.options.time and backend == "cpu":
            why = f"no GPU: {self.machine.gpu_reason}" if not self.machine.gpu else "--backend cpu"
            print(f"--time: n/a, the kernels run on the emulator ({why}), and its speed says nothing about a GPU's")
            self.options.time = False
        outcome = execution.run(program, _say)
        if outcome.output and not outcome.output.endswith("\n"):
            _say("\n")
        if execution.launches.unfinished and backend == "gpu":  # the emulator tells it itself
            print("The program ended before its kernels were done. A launch returns at once: wait for them.")
        self._show_report(execution)
        if self.options.time:
            self._show_times(execution)
        judge(execution)
        if self.options.sanitize is not None and backend == "cpu" and not execution.findings:
            all_of_them = self.options.sanitize in ("", "all")
            tools = ", ".join(option_words.SANITIZE_TOOLS[:-1]) if all_of_them else self.options.sanitize
            print(f"--sanitize: nothing found ({tools})")
        return outcome

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
                _show(render.profile(kernels, remark, text, self.file.name, self._lines_of(str(self.file))))
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
        head = ("kernel", "blocks", "threads", "launches", "first us", "median us", "fastest us")
        rows = []
        for (kernel, grid, block), times in groups.items():
            chosen = (times[0], statistics.median(times), min(times))
            rows.append((demangle(kernel).strip(), grid, block, str(len(times)), *(f"{t:.1f}" for t in chosen)))
        remarks = []
        if rows:
            remarks = [f"measured with events on {self.machine.gpu}; a few microseconds of each are the launch's own"]
        remarks += [f"{number} launches are not timed: {reason}" for reason, number in execution.launches.untimed]
        _show(render.times(rows, head, remarks or ["--time: no kernel was launched"]))

    # --- grading ---

    def _grade(self) -> None:
        checkout(self.machine)  # else there is no grader
        backend = machines.choose_backend(self.machine, option_words.backend_of(self.options))
        if backend == "cpu":
            machines.require_emulator(self.machine)
        suffix = suffix_of(self.machine, self.options.grade)
        if suffix != "cu":
            self.file = self.session.named(self.file, suffix)
        print(f"grading this cell as exercise {self.options.grade} ...", flush=True)
        grading = grade(self.machine, self.options.grade, self.file, backend, self.options.timeout)
        if grading.verdict == "compile_error" and suffix != "py":
            self._check_compiled(understand(grading.message, False, self.file))
        _show(render.grade(grading))
        record(self.machine, self.options.grade, grading.verdict, self.file)
        if grading.verdict != "pass":
            raise NotPassed(f"exercise {self.options.grade}: {grading.verdict}")
        number = self.options.grade
        shown = render.passed(number, solution_of(self.machine, number), next_after(self.machine, number))
        if shown.text:
            _show(shown)

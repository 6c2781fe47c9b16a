"""The magics %%nvcc and %%cuda, and what %load_ext does."""

from __future__ import annotations

import shutil

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, line_cell_magic, magics_class

from . import __version__, machine as machines, options as option_words
from .cell import Cell
from .errors import NvccError, OptionError
from .machine import Machine
from .session import Session

_loaded: NvccMagics | None = None


def load(shell: InteractiveShell) -> None:
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


def unload(shell: InteractiveShell) -> None:
    global _loaded
    if _loaded:
        shell.events.unregister("pre_run_cell", _loaded.session.remember)
        for name in ("nvcc", "cuda"):
            for kind in ("cell", "line"):
                shell.magics_manager.magics[kind].pop(name, None)
        shutil.rmtree(_loaded.session.folder, ignore_errors=True)
        _loaded = None


@magics_class
class NvccMagics(Magics):
    """The cell magics %%nvcc and %%cuda."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self.session = Session()
        self._machine: Machine | None = None

    @property
    def machine(self) -> Machine:
        """Looked for once; after a failure again with the next cell."""
        if self._machine is None:
            self._machine = machines.find_machine()
        return self._machine

    @line_cell_magic
    def nvcc(self, line: str, cell: str | None = None) -> None:
        """Compile this cell with nvcc and run it: %%nvcc [options] [nvcc flags] [-- program arguments]

        --run, --no-run     run the program, or only compile; without either a cell with a main is run
        --name FILE         keep the cell: a header for later cells, or a part of a program
        --with FILE...      compile and link these parts with this cell
        --ptx [KERNEL]      the PTX beside the source lines; --sass [KERNEL] the GPU's machine code
        --profile [KERNEL]  what the kernels ask of a GPU, and what to do about it
        --view [LINE]       pictures of memory accesses, buffers and divergence
        --sanitize [TOOL]   look for mistakes: memcheck, racecheck, synccheck, initcheck, leak, all
        --time              how long each kernel takes, on a GPU
        --grade 03          the cell is exercise 03, and is judged
        --exercise 03       the cell is exercise 03, and is called: for --profile, --sanitize, --view, --ptx
        --backend WHO       auto, gpu or cpu (the emulator)
        --timeout S         seconds that the program may run; --max-output N characters that it may print

        Everything else goes to nvcc.
        """
        options = option_words.parse(line)
        if cell is None and not options.asks_only:
            raise OptionError("%nvcc in a line only asks nvcc something (--version, --help). A program is a cell that begins with %%nvcc.")
        Cell(self.session, lambda: self.machine, options, cell or "").do()

    @cell_magic
    def cuda(self, line: str, cell: str) -> None:
        """The same as %%nvcc."""
        self.nvcc(line, cell)

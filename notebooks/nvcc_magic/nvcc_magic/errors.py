"""What a cell ends with when something went wrong. One line says it, without a Python traceback.

They are exceptions all the same: Run All stops, and nbclient and nbgrader see that the cell failed. A cell that is
meant to fail bears Jupyter's tag `raises-exception`.
"""


class NvccError(Exception):
    """The base of all: IPython shows the lines of _render_traceback_ instead of a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"\x1b[1m{type(self).__name__}\x1b[0m: {self}"]


class OptionError(NvccError):
    """The line after %%nvcc cannot be understood."""


class ToolMissing(NvccError):
    """nvcc, a GPU, the emulator or another program is needed and not there. The message says how to get it."""


class CompileError(NvccError):
    """The cell does not compile, or not link."""


class ProgramError(NvccError):
    """The program ended with a status other than 0, or by a signal."""


class LaunchError(NvccError):
    """A kernel could not be launched, or failed, and the program never asked."""


class KernelError(NvccError):
    """The emulator or compute-sanitizer found a mistake in a kernel."""


class TimeLimit(NvccError):
    """The program ran longer than --timeout allows."""


class OutputLimit(NvccError):
    """The program printed more than --max-output allows."""


class Interrupted(NvccError):
    """The user stopped the program."""


class NotPassed(NvccError):
    """The grader did not let the cell pass."""

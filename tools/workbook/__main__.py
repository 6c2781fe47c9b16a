"""python3 tools/workbook COMMAND [ARGUMENT...]: runs main() of the command's module."""
import importlib
import io
import os
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent
sys.path[0] = str(TOOLS)  # `python3 tools/workbook` has set it to the package's folder
sys.dont_write_bytecode = True  # the workbook's folder may belong to another user


def main() -> int:
    """Runs a command in the workbook's root. Exit status 2: there is no such command."""
    from workbook.messages import Failure, report

    commands = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if "\ndef main(arguments" in path.read_text("utf-8"))
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        print(f"usage: python3 tools/workbook COMMAND ...; the commands: {' '.join(commands)}", file=sys.stderr)
        return 2
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")  # file names may contain any bytes
    os.chdir(TOOLS.parent)
    try:
        return int(importlib.import_module("workbook." + sys.argv[1]).main(sys.argv[2:]))
    except Failure as failure:
        report(failure)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of a pipe, such as `| head`, has exited
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


sys.exit(main())

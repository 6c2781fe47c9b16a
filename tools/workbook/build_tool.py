"""build_tool NAME: builds build/tools/NAME, from tools/NAME/*.c or else from tools/*/NAME.c, unless it is up to date."""
import os
import subprocess
import sys
from pathlib import Path

from workbook.messages import Failure


def build(name: str) -> str:
    """The program's path. Failure: it does not compile; the compiler has printed the reason."""
    program = Path("build/tools", name)
    folder = Path("tools", name)
    sources = sorted(folder.glob("*.c")) if folder.is_dir() else sorted(Path("tools").glob(f"*/{name}.c"))
    headers = sorted(folder.glob("*.h")) if folder.is_dir() else [source.with_suffix(".h") for source in sources]
    made = program.stat().st_mtime_ns if program.is_file() else -1
    if all(path.stat().st_mtime_ns <= made for path in [*sources, *headers] if path.is_file()):
        return str(program)
    program.parent.mkdir(parents=True, exist_ok=True)
    new = f"{program}.{os.getpid()}"
    command = [os.environ.get("CC") or "cc", "-std=c11", "-O1", "-Wall", "-Wextra", *map(str, sources), "-o", new]
    if subprocess.call(command) != 0:
        raise Failure(f"{program} does not build, see above.")
    os.replace(new, program)
    return str(program)


def main(arguments: list[str]) -> int:
    """build_tool NAME"""
    if len(arguments) != 1:
        print("usage: build_tool NAME", file=sys.stderr)
        return 2
    build(arguments[0])
    return 0

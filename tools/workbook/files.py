"""Files and folders that a command writes."""
import os
from pathlib import Path

from workbook.messages import Failure


def can_write(folder: Path) -> bool:
    """Whether a file can be created there; False also if the disk is full."""
    probe = folder / f".write.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_text("x\n")
        return probe.stat().st_size > 0
    except OSError:
        return False
    finally:
        try:
            probe.unlink()
        except OSError:
            pass


def require_writable(folder: Path) -> None:
    """Failure: nothing can be written there."""
    if not can_write(folder):
        here = Path.cwd()
        raise Failure(
            f"the folder {here / folder} cannot be written: it belongs to another user, or the disk is full.",
            f"The workbook builds its programs there. Take a copy of it that is yours: cp -R {here} ~/workbook",
        )

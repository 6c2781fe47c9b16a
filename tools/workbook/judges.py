"""Grading with the version of the graders in git: if one of their files was changed, in a restored copy."""
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from workbook.messages import Failure, say, warn
from workbook.visible import visible_name

JUDGES = ["Makefile", "common", "emulator", "solutions", "tests", "tools"]
JUDGES += [f":(glob)lessons/*/{name}" for name in ("grader.*", "calls.py", "layer*", "requirements.txt")]

# A student may have configured the checkout, so git must not start any of its programs: no file monitor, no filter, no hook.
HARMLESS = {"core.fsmonitor": "false", "core.hooksPath": "/dev/null", "diff.external": ""}
COPY = Path("build/restored")


def git(*words: str) -> str:
    """The output of git. Failure: it fails, and has printed the reason."""
    done = subprocess.run(["git", "-c", "core.fsmonitor=", *words], stdout=subprocess.PIPE)
    if done.returncode:
        raise Failure(f"git {words[0]} does not work here.")
    return os.fsdecode(done.stdout)


def is_checkout() -> bool:
    """Whether the workbook is the root of a git checkout."""
    try:
        top = subprocess.run(["git", "rev-parse", "--show-toplevel"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return False
    return os.fsdecode(top.stdout).rstrip("\n") == os.path.realpath(".")


def changed_files(base: str) -> list[str]:
    """The judges' files that differ from that commit, including new ones."""
    changed = git("diff", "--no-ext-diff", "--no-textconv", "--name-only", "-z", base, "--", *JUDGES)
    changed += git("ls-files", "--others", "--exclude-standard", "-z", "--", *JUDGES)
    return changed.split("\0")[:-1]


def keep_emulator(commit: str, changed: list[str]) -> None:
    """The emulator takes a while to build; one built from the same sources is equivalent. Its sources are backdated, so that make treats it as
    current; a build from other sources is removed."""
    for folder, _, names in os.walk(COPY / "emulator"):
        for name in names:
            os.utime(os.path.join(folder, name), (946684800, 946684800), follow_symlinks=False)
    tree = git("rev-parse", f"{commit}:emulator").strip()
    note, built = COPY / "build/emulator_tree", COPY / "build/emulator"
    if not note.is_file() or note.read_text("utf-8").strip() != tree:
        shutil.rmtree(built, ignore_errors=True)
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(tree + "\n", "utf-8")
    if not built.is_dir() and Path("build/emulator").is_dir() and not any(name.startswith("emulator/") for name in changed):
        subprocess.run(["cp", "-Rp", "build/emulator", str(COPY / "build")], check=True)


def restore(commit: str, changed: list[str]) -> None:
    """Fills the copy with that commit's files; earlier build products in it are kept."""
    COPY.mkdir(parents=True, exist_ok=True)
    for old in COPY.iterdir():
        if old.is_dir() and not old.is_symlink():
            if old.name != "build":
                shutil.rmtree(old)
        else:
            old.unlink()
    archive = subprocess.Popen(["git", "archive", commit], stdout=subprocess.PIPE)
    unpacked = subprocess.run(["tar", "-xf", "-", "-C", str(COPY)], stdin=archive.stdout)
    if archive.wait() or unpacked.returncode:
        raise Failure(f"the files of {commit} cannot be restored to {COPY}: see above.")
    keep_emulator(commit, changed)


def continue_in_copy(arguments: list[str], ours: dict[str, str]) -> NoReturn:
    """Replaces this process with the grading there."""
    os.environ.update(ours, GRADE_RESTORED="1")
    os.environ.pop("EMULATOR_READY", None)
    os.chdir(COPY)
    if subprocess.run(["sh", "tools/toolchain/configure.sh"]).returncode:
        raise Failure("the restored copy cannot be used: see above.")
    older = Path("tools/teaching/grade.sh")  # of a commit from before this module
    command = ["sh", str(older)] if older.is_file() else [sys.executable, "tools/workbook", "grade"]
    sys.stdout.flush()
    os.execvp(command[0], command + arguments)


def use_judges_of(base: str, arguments: list[str], ours: dict[str, str]) -> None:
    """Returns if the judges match git's version in `base`, or if git cannot tell; otherwise continues in a restored copy, with `arguments` and the
    variables `ours`. Failure: there is no such commit."""
    if os.environ.get("GRADE_RESTORED"):
        return
    os.environ["GIT_CONFIG_COUNT"] = str(len(HARMLESS))
    for position, (key, value) in enumerate(HARMLESS.items()):
        os.environ.update({f"GIT_CONFIG_KEY_{position}": key, f"GIT_CONFIG_VALUE_{position}": value})
    if not is_checkout():
        warn("this is not a checkout of git: the graders are taken as they are here, nothing can be restored.")
        return
    asked = subprocess.run(["git", "rev-parse", "-q", "--verify", f"{base}^{{commit}}"], stdout=subprocess.PIPE)
    if asked.returncode:
        raise Failure(f"BASE={base} is not a commit of this checkout.")
    changed = changed_files(base)
    if not changed:
        return
    say(f"These files differ from {base}; their versions of then are used:")
    for name in changed[:10] + ["..."] * (len(changed) > 10):
        say(f"  {visible_name(name)}")
    restore(asked.stdout.decode().strip(), changed)
    continue_in_copy(arguments, ours)

"""verdicts.py 03 JOINED: grades every file in solutions/lesson03_name/wrong/ and other/, and prints a line for each: did it get the verdict that its first
line declares (`// expect: out_of_bounds`; other/: pass), and does the output contain the text of its second line, if that is `// says: text`?

One process for all of them: a grading is a fork of this one, which has read the grader's front end (tools/workbook/grading/front.py) already.

JOINED.sources has the files that are compiled together in JOINED.o (graders.test.sh): each is linked from that, with its functions under the
names that the judge requests. JOINED.all and JOINED.plain are the functions and symbols of that object and of the solution's, as in
`f(int)|_Z1fi`; in a module for Python, JOINED.linked has the linker's messages.

tests/grading/failing_checks.txt lists the check that each mutant fails. That check is tried first, and when it yields the declared verdict and
text, no other is run: most of a grading is checks that a mutant passes. Without an entry, or when that check yields another verdict, all are run
in the judge's order up to the first that fails. ALL_CHECKS=1 does so for all mutants. The failed checks are written to JOINED.failing;
`cat
build/tests/grading/*/joined.failing` is the new list.
"""
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from workbook import configuration, results  # noqa: E402
from workbook.grading import front  # noqa: E402

FAILING = Path("tests/grading/failing_checks.txt")
ENDLESS = "2"  # seconds of processor time after which a kernel without an end is as endless
SHOWN = 30  # lines of a failed grading


class Outcome(NamedTuple):
    """A grading's verdict, the name of the first check that failed ("": none), and the output."""

    verdict: str
    failed: str
    printed: str


class Case(NamedTuple):
    """A file, its object ("": compiled by the grading), the expected verdict, and the text that has to be printed."""

    file: Path
    object: str
    expected: str
    said: str

    @property
    def key(self) -> str:
        """Its name in the list of failing checks."""
        return f"{self.file.parent.parent.name}/{self.file.stem}"


def plain(text: str) -> str:
    """The text without line breaks that depend on a width: those of the sanitizer depend on the length of the project's path."""
    return " ".join(re.sub(r"^=========", "", text, flags=re.MULTILINE).split())


def declared(file: Path) -> tuple[str, str]:
    """The verdict and the text that a file's first two lines declare."""
    first, second = [*file.read_text("utf-8").split("\n")[:2], ""][:2]
    expected = re.match(r"(?://|#) expect: *([a-z_]*)", first)
    said = re.match(r"(?://|#) says: (.*)", second)
    return expected[1] if expected else "", plain(said[1]) if said else ""


class Joined:
    """The object that contains most of the files, each in a separate namespace."""

    def __init__(self, stem: str, number: str, suffix: str) -> None:
        self.stem, self.suffix, self.libraries = stem, suffix, os.path.abspath(f"build/lessons/{number}")
        self.sources = set(self.lines("sources"))
        self.linked = 0
        self.wanted = dict(line.rsplit("|", 1) for line in self.lines("plain"))
        self.defined = [line.rsplit("|", 1) for line in self.lines("all")]
        self.settings = configuration.load()

    def lines(self, kind: str) -> list[str]:
        """The lines of one of the files beside the object."""
        path = Path(f"{self.stem}.{kind}")
        return path.read_text("utf-8").splitlines() if path.exists() else []

    def aliases(self, own: str) -> Iterator[str]:
        """The functions in this namespace, under the names that they have without it."""
        for shown, symbol in self.defined:
            name = shown.replace(f"{own}::", "")
            if shown.startswith(f"{own}::") and name in self.wanted:
                yield f"-Wl,--defsym={self.wanted[name]}={symbol}"

    def object_of(self, file: Path) -> str:
        """A shared object in which this file's functions are those that the judge requests; "": the file is not in the joined one."""
        if str(file) not in self.sources:
            return ""
        own = f"joined_{file.parent.name}_{file.stem}"
        target = f"{self.stem}.{own}.so"
        if self.suffix == "cpp":
            words = [f"-Wl,--defsym=PyInit_exercise=PyInit_{own}", f"-L{self.libraries}", f"@{self.stem}.linked", f"-Wl,-rpath,{self.libraries}"]
        else:
            folder = self.settings["TOOLKIT_LIB"]
            words = [*self.aliases(own), *([f"-L{folder}"] if folder else []), "-lcudart", "-Wl,-Bsymbolic", "-Wl,--no-undefined", "-ldl", "-lpthread"]
        subprocess.run([self.settings["HOST_COMPILER"] or "g++", "-shared", f"{self.stem}.o", *words, "-o", target], check=True)
        self.linked += 1
        return target


def in_fork(number: str, file: Path, output: int) -> int:
    """The child process: a grading, with all of its output in this file. Returns its exit status."""
    for descriptor in 1, 2:
        os.dup2(output, descriptor)
    try:
        return front.main([number, str(file)], os.getcwd())
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 2


def graded(number: str, case: Case, variables: dict[str, str]) -> Outcome:
    """Grades a file in a fork of this process, with these variables in its environment."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as printed:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.environ.update({**variables, "RESULTS": folder, **({"TIMEOUT": ENDLESS} if case.expected == "timeout" else {})})
            status = 2
            try:
                status = in_fork(number, case.file, printed.fileno())
            finally:
                sys.stdout.flush()
                os._exit(status)
        os.waitpid(child, 0)
        printed.seek(0)
        text = re.sub(r"joined_[a-z0-9_]*::", "", printed.read().decode("utf-8", "replace"))
        found = results.load(Path(folder) / "results.json") or {"verdict": "none", "tests": []}
    failed = next((test["name"] for test in found["tests"] if test["status"] == "fail"), "")
    return Outcome(found["verdict"], failed, text)


def as_declared(case: Case, outcome: Outcome) -> bool:
    """Whether a grading ended as declared in the file's first lines."""
    return outcome.verdict == case.expected and case.said in plain(outcome.printed)


def grade(number: str, case: Case, first: str) -> Outcome:
    """The outcome of a file's grading; `first`: the check that is tried first, "": all of them, in the judge's order."""
    if first:
        outcome = graded(number, case, {"OBJECT": case.object, "VERDICT_ONLY": "1", "CHECK_FIRST": first})
        if as_declared(case, outcome):
            return outcome
    # A later check may print the expected text.
    return graded(number, case, {"OBJECT": case.object, "VERDICT_ONLY": "" if case.said else "1", "CHECK_FIRST": ""})


def report(name: str, case: Case, outcome: Outcome) -> None:
    """The line of a file, and the output if it differs from the expected one."""
    if as_declared(case, outcome):
        print(f"ok {name}: {case.expected}", flush=True)
        return
    wrong = f"it does not say: {case.said}" if outcome.verdict == case.expected else f"the verdict is '{outcome.verdict}', expected {case.expected}"
    print(f"not ok {name}: {wrong}")
    print("\n".join(f"    | {line}" for line in outcome.printed.splitlines()[:SHOWN]), flush=True)


def failing_checks() -> dict[str, str]:
    """The check that each mutant fails, by the mutant's key."""
    if os.environ.get("ALL_CHECKS") == "1" or not FAILING.exists():
        return {}
    return dict(line.split("\t", 1) for line in FAILING.read_text("utf-8").splitlines())


def grade_mutant(number: str, joined: Joined, file: Path, first: dict[str, str], failing: TextIO) -> None:
    """Grades one, and records the check that it failed."""
    name = f"lesson{number} mutant {file.stem}"
    expected, said = declared(file)
    if expected in ("", "pass"):
        print(f"not ok {name}: its first line does not say 'expect: verdict'")
        return
    case = Case(file, joined.object_of(file), expected, said)
    outcome = grade(number, case, first.get(case.key, ""))
    report(name, case, outcome)
    if outcome.failed:
        print(case.key, outcome.failed, sep="\t", file=failing, flush=True)


def main() -> None:
    """All files of an exercise."""
    number, stem = sys.argv[1:]
    os.chdir(ROOT)
    folder = next(Path("solutions").glob(f"lesson{number}_*"))
    suffix = next(folder.glob("solution.*")).suffix[1:]
    joined, first = Joined(stem, number, suffix), failing_checks()
    front.prepare(number)
    mutants = sorted(folder.glob(f"wrong/*.{suffix}"))
    with open(f"{stem}.failing", "w", encoding="utf-8") as failing:
        for file in mutants:
            grade_mutant(number, joined, file, first, failing)
    if len(mutants) < 5:
        print(f"not ok lesson{number} has 5 mutants or more: it has {len(mutants)} in {folder}/wrong/")
    others = sorted(folder.glob(f"other/*.{suffix}"))
    for file in others:
        case = Case(file, joined.object_of(file), "pass", declared(file)[1])
        report(f"lesson{number} alternative {file.stem}", case, grade(number, case, ""))
    if not others:
        print(f"not ok lesson{number} has a second correct solution: there is none in {folder}/other/")
    if joined.linked != len(joined.sources):
        print(f"not ok lesson{number} is graded with what was compiled together: of {len(joined.sources)} files {joined.linked} were")


if __name__ == "__main__":
    main()

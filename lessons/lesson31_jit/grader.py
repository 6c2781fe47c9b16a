"""Grader of exercise 31: a cache of compiled kernels, as lessons/lesson31_jit/exercise.py describes it. Disk and
compiler, which note what is asked of them, stand in calls.py."""

import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "grading"))
from judge import Check, main, with_article  # noqa: E402

SOURCE = 'extern "C" __global__ void scale(float *x, float a) {\n    x[threadIdx.x] *= a; // größer\n}\n'
PLAIN = [SOURCE, ["-std=c++17", "-DNUMBER=float"], "sm_90", "NVRTC 13.0"]
OTHER = ["__global__ void nothing() {}\n", ["-lineinfo"], "sm_90", "NVRTC 13.0"]

BITS = 60  # of 64, since not every character need come up at each place

# Two sources of one length with the same CRC-32.
SAME_CRC = ["// plumless\n__global__ void k() {}\n", "// buckeroo\n__global__ void k() {}\n"]


LONG = "".join(f"// {n}\n" for n in range(10000, 100000))[::8]
LONG = LONG[:40000] + "50000" + LONG[40000:] + "99999"
MANY = [f"-DN{n}" for n in range(300)]


def question(source=SOURCE, flags=("-O3",), arch="sm_90", version="NVRTC 13.0"):
    return [source, list(flags), arch, version]


# Pairs of questions that are not the same, and what about them differs.
PAIRS = [
    ("another source", question(), question(SOURCE + " ")),
    ("sources that differ in a letter of the comment", question(), question(SOURCE.replace("ö", "o"))),
    ("another flag", question(flags=["-DA=1"]), question(flags=["-DA=2"])),
    ("a flag more", question(flags=["-O3"]), question(flags=["-O3", "-G"])),
    ("no flags", question(flags=[]), question(flags=["-O3"])),
    ("another order of the flags", question(flags=["-DA", "-UA"]), question(flags=["-UA", "-DA"])),
    ("a flag twice", question(flags=["-DA", "-UA"]), question(flags=["-DA", "-UA", "-DA"])),
    ("-DA B as one flag, and as two", question(flags=["-DA B"]), question(flags=["-DA", "B"])),
    ("-D A and -DA", question(flags=["-D", "A"]), question(flags=["-DA"])),
    ("a comma in a flag", question(flags=["-Xa,b"]), question(flags=["-Xa", "b"])),
    ("an empty flag", question(flags=[""]), question(flags=[])),
    ("a line of the source, and a flag", question("x\n-DA", []), question("x", ["-DA"])),
    ("the source's end, and a flag", question("x-DA", []), question("x", ["-DA"])),
    ("another architecture", question(), question(arch="sm_90a")),
    ("a flag, and the architecture", question(flags=["-O3"], arch="sm_9"), question(flags=["-O3sm_9"], arch="")),
    ("another compiler", question(), question(version="NVRTC 13.1")),
    ("architecture and version", question(arch="sm_9", version="0 13"), question(arch="sm_90", version=" 13")),
    ("long sources that differ in the middle", question(LONG), question(LONG.replace("50000", "50009"))),
    ("long sources that differ at the end", question(LONG), question(LONG.replace("99999", "99990"))),
    ("many flags, of which the last one differs", question(flags=MANY), question(flags=[*MANY[:-1], "-DLAST=1"])),
    ("sources with the same CRC-32", question(SAME_CRC[0]), question(SAME_CRC[1])),
]


class Images:
    """What the compiler has made, by question, in all sessions of a check."""

    def __init__(self, judge):
        self.judge, self.made = judge, {}

    def session(self, subject, questions, steps, **more):
        answer = self.judge.run("session", {}, {}, subject, questions=questions, steps=steps, **more)
        try:
            for asked, image in answer["made"]:
                self.made.setdefault(asked, []).append(image)
            for told in (*answer["gets"], *answer["others"]):
                self.look_at(told, questions[told["q"]])
        except (KeyError, TypeError, ValueError, IndexError):
            self.judge.fail("crash", "the runner's answer is not valid.")
        return answer

    def look_at(self, told, asked):
        """Whoever got an image got one of its own question."""
        if told["changed"]:
            self.judge.fail("wrong_result", "the caller's list of flags was changed.")
        if "image" not in told:
            return
        right = self.made.get(json.dumps(asked), [])
        if told["image"] in right:
            return
        if all(letter in "0123456789abcdef" for letter in told["image"]):
            of = [other for other, images in self.made.items() if told["image"] in images]
            what = "was made for another question" if of else "the compiler has never made (damaged?)"
            self.judge.fail("wrong_result", f"an image was returned that {what}.")
        self.judge.fail("wrong_result", f"expected bytes, and {with_article(told['image'])} was returned.")


def times(count):
    return {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times")


def require_compiled(judge, told, wanted, why):
    found = told["compiled"]
    if found > wanted:
        judge.fail("access_limit", f"the compiler was called {times(found)}; {times(wanted)} would do: {why}.")
    if found < wanted:
        judge.fail("wrong_result", f"the compiler was called {times(found)}, expected {times(wanted)}: {why}.")


def first_and_again(judge):
    images = Images(judge)
    for asked in PLAIN, OTHER, question("x", []), question("x" * 3000, [f"-DN{n}" for n in range(50)]):
        steps = [["get", 0, 0], ["get", 0, 0], ["get", 0, 0]]
        first, *again = images.session("a question, three times, of one cache", [asked], steps)["gets"]
        require_compiled(judge, first, 1, "the question is new")
        for told in again:
            require_compiled(judge, told, 0, "this cache has the answer already")
            if told["operations"]:
                judge.fail("access_limit", "the disk was read, although the answer was in memory.")
    told = images.session("two questions alternating, with one cache", [PLAIN, OTHER], [["get", 0, k % 2] for k in range(6)])
    for k, one in enumerate(told["gets"]):
        require_compiled(judge, one, int(k < 2), "each of the two questions is compiled once")


def two_caches(judge):
    images = Images(judge)
    steps = [["get", 0, 0], ["get", 0, 0, 1], ["get", 0, 0, 1], ["get", 1, 0, 1], ["get", 1, 0]]
    told = images.session("two caches in a process, each with its own disk", [PLAIN], steps)["gets"]
    why = "the disk of each cache is empty at first, and then has the entry for all other processes"
    for one, wanted in zip(told, (1, 1, 0, 0, 0)):
        require_compiled(judge, one, wanted, why)


def name_bits(names):
    """How many bits of the names depend on the questions, at least: the characters at each place, where another place does
    not always have the same."""
    places = set()
    for column in zip(*names):
        numbers = {}
        places.add(tuple(numbers.setdefault(letter, len(numbers)) for letter in column))
    return sum(math.log2(len(set(place))) for place in places)


def names(judge):
    """The names of entries, of so many questions that each character has been seen at each place."""
    images, count = Images(judge), 256
    asked = [question(f"// {n}\n" + SOURCE) for n in range(count)]
    answer = images.session(f"{count} questions", asked, [["get", 0, n] for n in range(count)])
    for told in answer["gets"]:
        require_compiled(judge, told, 1, "the question is new")
    found = sorted(answer["files"])
    if len(found) != count:
        judge.fail("wrong_result", f"{len(found)} files are on the disk, for {count} entries.")
    bits = name_bits([name.rjust(100) for name in found])
    if bits < BITS:
        judge.fail(
            "wrong_result",
            f"about {bits:.0f} bits of an entry's name depend on the question ({found[0][:20]}, {found[1][:20]}, ...); at least 64 "
            "are needed: with 32, two of 77000 questions would probably share an entry.",
        )


def different(judge):
    for words, *pair in PAIRS:
        images = Images(judge)
        for order in (0, 1), (1, 0):
            a, b = order
            steps = [["get", 0, a], ["get", 0, b], ["get", 1, b], ["get", 1, a]]
            answer = images.session(words, pair, steps)
            for told, wanted in zip(answer["gets"], (1, 1, 0, 0)):
                require_compiled(judge, told, wanted, f"two questions ({words}), each is compiled once, and then found")


def other_process(judge):
    images = Images(judge)
    answer = images.session(
        "another process, later", [PLAIN, OTHER], [["get", 0, 0], ["get", 1, 0], ["get", 2, 1], ["get", 1, 1]]
    )
    for told, wanted in zip(answer["gets"], (1, 0, 1, 0)):
        require_compiled(judge, told, wanted, "results that one process has compiled are on the disk for all others")
    # Really another one: what Python draws for each process, such as hash(text), is another there.
    judge.child.stop()
    judge.child = None
    judge.open()
    later = images.session(
        "a process that was started later", [PLAIN, OTHER], [["get", 0, 0], ["get", 0, 1]], contents=answer["files"]
    )
    for told in later["gets"]:
        require_compiled(judge, told, 0, "the entry is on the disk, under the name that its key has in every process")


def on_disk(judge, images, words, **more):
    """A disk with both questions' entries, made in peace."""
    return images.session(words, [PLAIN, OTHER], [["get", 0, 0], ["get", 0, 1]], **more)["files"]


DAMAGES = {
    "cut": "cut off in the middle",
    "last": "one byte shorter",
    "longer": "one byte longer",
    "empty": "empty",
    "bit": "with one bit changed",
    "first": "with its first byte changed",
    "end": "with one of its last bytes changed",
    "exchange": "with two bytes exchanged",
    "swap": "another one's content",
}


def damaged(judge):
    for how, words in DAMAGES.items():
        images = Images(judge)
        subject = f"an entry that is {words}"
        files = on_disk(judge, images, subject)
        for seed in (1, 2, 3) if how in ("bit", "exchange") else (1,):
            steps = [["damage", how, seed], ["get", 0, 0], ["get", 0, 1], ["get", 1, 0], ["get", 2, 1]]
            answer = images.session(subject, [PLAIN, OTHER], steps, contents=files)
            for told, most in zip(answer["gets"], (1, 1, 0, 0)):
                # Two bytes that are alike may be exchanged; and who keeps more than needed need not read all of it.
                if told["compiled"] > most:
                    why = "it is damaged" if most else "the entry was made again before"
                    require_compiled(judge, told, most, why)
            require_entries_by_rename(judge, answer)


def require_entries_by_rename(judge, answer):
    """Nothing is written under a name that is an entry's; what is there has come by rename."""
    renamed = {operation[2] for operation in answer["log"] if operation[0] == "rename"}
    for kind, *names, _ in answer["log"]:
        if kind == "write" and names[0] in renamed:
            judge.fail(
                "race",
                f"{names[0][:20]}... is an entry, and was written in place: a concurrent reader gets a mixture.",
            )
    written = {operation[1] for operation in answer["log"] if operation[0] == "write"}
    for name in answer["files"]:
        if name in written and name not in renamed:
            judge.fail(
                "race", f"{name[:20]}... was written under its final name: a concurrent reader gets a part of it."
            )


def by_rename(judge):
    images = Images(judge)
    answer = images.session("a new entry", [PLAIN, OTHER], [["get", 0, 0], ["get", 1, 1], ["get", 1, 0], ["get", 0, 1]])
    require_entries_by_rename(judge, answer)
    steps = [["damage", "cut", 1], ["get", 0, 0], ["get", 1, 1]]
    again = images.session("an entry that is damaged, made again", [PLAIN, OTHER], steps, contents=answer["files"])
    for kind, *names, _ in again["log"]:
        if kind == "write" and names[0] in answer["files"]:
            judge.fail("race", "a damaged entry was rewritten in place: a concurrent reader gets a mixture.")
    for told, files in ((answer, 2), (again, 2)):
        if len(told["files"]) > files:
            judge.fail(
                "leak", f"{len(told['files'])} files are on the disk, for {files} entries: {sorted(told['files'])}"
            )


def moments(judge, contents, subject):
    """How many steps of the disk a get has, when nothing happens."""
    images = Images(judge)
    answer = images.session(subject, [PLAIN], [["get", 0, 0]], contents=contents)
    return answer["gets"][0]["operations"]


def damaged_disk(judge):
    images = Images(judge)
    answer = images.session("an entry is made", [PLAIN], [["get", 0, 0], ["damage", "cut", 1]])
    return answer["files"]


def killed(judge):
    for words, contents in (("nothing on the disk", {}), ("a damaged entry on the disk", damaged_disk(judge))):
        for at in range(1, moments(judge, contents, f"a get, {words}") + 1):
            images = Images(judge)
            subject = f"{words}, and the process is killed at step {at} of the disk"
            steps = [["fault", "killed", at, 0], ["get", 0, 0], ["no fault"], ["get", 1, 0], ["get", 2, 0]]
            _, second, third = images.session(subject, [PLAIN], steps, contents=contents)["gets"]
            if second["compiled"] > 1:
                require_compiled(judge, second, 1, "the next process")
            require_compiled(judge, third, 0, "the process after it")


def two_at_once(judge):
    for words, contents in (("nothing on the disk", {}), ("a damaged entry on the disk", damaged_disk(judge))):
        for at in range(1, moments(judge, contents, f"a get, {words}") + 1):
            images = Images(judge)
            subject = f"{words}, and another process asks the same at step {at} of the disk"
            steps = [["fault", "other", at, 0], ["get", 0, 0], ["no fault"], ["get", 2, 0]]
            answer = images.session(subject, [PLAIN], steps, contents=contents)
            last = answer["gets"][-1]
            if last["compiled"]:
                judge.fail(
                    "race", "after the two, a third process finds no complete entry: they have written into one file."
                )
            if len(answer["files"]) > 1:
                judge.fail(
                    "leak", f"{len(answer['files'])} files are on the disk, for 1 entry: {sorted(answer['files'])}"
                )


def poor_disks(judge):
    for kind in "full", "read-only", "no rename", "unreadable":
        images = Images(judge)
        steps = [
            ["fault", kind, 0, 0],
            ["get", 0, 0],
            ["get", 0, 0],
            ["get", 0, 1],
            ["no fault"],
            ["get", 1, 0],
            ["get", 2, 0],
        ]
        answer = images.session(f"a disk that is {kind}" if kind != "no rename" else "a disk that does not rename",
                                [PLAIN, OTHER], steps)  # fmt: skip
        for told, wanted in zip(answer["gets"], (1, 0, 1)):
            require_compiled(judge, told, wanted, "the disk does not help, memory does")
        require_compiled(
            judge, answer["gets"][-1], 0, "the disk is well again, and the process before has written the entry"
        )
        most = 2 if kind == "unreadable" else 1
        if len(answer["files"]) > most:
            judge.fail(
                "leak", f"something unfinished was left on the disk: {len(answer['files'])} files, {most} would do."
            )


def refused(judge):
    images = Images(judge)
    broken = question("this is no C++\n", [])
    steps = [["get", 0, 0], ["get", 0, 0], ["get", 1, 0], ["get", 1, 1]]
    answer = images.session("a source that the compiler refuses", [broken, PLAIN], steps, broken=[broken[0]])
    for told in answer["gets"][:3]:
        if "compile_error" not in told:
            judge.fail("api_error", "the compiler raised an exception, and get returned as if all were well.")
        require_compiled(judge, told, 1, "an error is not cached: a header may have been repaired in the meantime")
    if len(answer["files"]) > 1:
        judge.fail("leak", "something is on the disk of a source that was refused.")


def again(judge):
    drawn = []
    for _ in range(6):
        source = "".join(chr(judge.draw(32, 126)) for _ in range(judge.draw(1, 400)))
        version = f"nvcc {judge.draw(12, 13)}.{judge.draw(0, 9)}"
        drawn.append(question(source, [f"-DN={judge.draw(1, 10**6)}"], f"sm_{judge.draw(75, 120)}", version))
    images = Images(judge)
    steps = [["get", judge.draw(0, 2), judge.draw(0, 5)] for _ in range(30)]
    answer = images.session("30 questions by three processes", drawn, steps)
    seen = set()
    for told, (_, _, q) in zip(answer["gets"], steps):
        require_compiled(judge, told, int(q not in seen), "each question is compiled once")
        seen.add(q)
    require_entries_by_rename(judge, answer)


CHECKS = [
    Check("get", "the compiler's image is returned, and kept in memory", first_and_again),
    Check("get", "questions that differ have images of their own", different),
    Check("get", "the results of another process are found on the disk", other_process),
    Check("get", "two caches in a process have a memory each", two_caches),
    Check("get", "an entry's name has 64 bits of its question or more", names),
    Check("get", "the compiler's exceptions reach the caller, and are not cached", refused),
    Check("disk", "an entry that is damaged is made again", damaged),
    Check("disk", "an entry appears by rename, and is never written in place", by_rename),
    Check("disk", "a process is killed, at each step of the disk", killed),
    Check("disk", "two processes request the same image concurrently, at each step of the disk", two_at_once),
    Check("disk", "a disk that is full, or without permission to read or write", poor_disks),
    Check(None, "again in a new process, with questions drawn at random", again),
]

if __name__ == "__main__":
    sys.exit(main("31", __file__, CHECKS))

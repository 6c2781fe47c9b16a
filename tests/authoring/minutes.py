"""Checks of workbook.minutes, and of the sums that workbook.map writes."""
import re
from pathlib import Path

from workbook.map import with_sums
from workbook.minutes import Estimate, estimate, repeated, stated, unrested, with_minutes
from workbook.needs import Lesson


def check(name, found, expected):
    print(f"ok {name}" if found == expected else f"not ok {name}: {found!r}, expected {expected!r}")


PAGE = """# Two words

*About 90 minutes to read and run, and 10 for the exercise. You need lesson 01.*

<!-- diff: not counted -->
```diff
+not counted
```

| not | counted |
|---|---|

**add_kernel1** is <!--= x -->5 [here](not/counted.md). **add_kernel2** begins no paragraph.

**add_kernel10** ends.

<details><summary>Not counted</summary>

**add_kernel11** can wait.
</details>

## steps3: one

**Why** not?
"""
EXERCISE = "//> TODO 1: add.\nint x; // as in TODO 1\n    // TODO 2: see TODO 1\n"
WORDS = 2 + 16 + 8 + 2 + 2 + 2

check("what a page has", estimate(PAGE, EXERCISE), Estimate(WORDS, 3, 2))
check("the formula, to the next five", [Estimate(words, 3, 2).reading for words in (1500, 1820, 1890)], [40, 40, 45])
check("the exercise", Estimate(1500, 3, 2).exercise, 30)

FURTHER = "*A further exercise of about 90 minutes, reading included. You need lesson 01.*"
check("what a head states", [stated(page) for page in (PAGE, FURTHER, "# Title\n")], ["90 + 10", "90", ""])

LONG = Estimate(600, 12, 9)
REST = "\n\n**A good place to stop.** The first sitting ends here, after about 7 minutes: what is known by then.\n"


def head(page):
    return re.search(r"^\*A[^*]*\*$", page, re.MULTILINE)[0]


RIGHT = "*About 125 minutes to read and run, in two sittings, and 135 for the exercise. You need lesson 01.*"
check("the head is written", head(with_minutes(PAGE, LONG)), RIGHT)
check("and written again as it is", with_minutes(RIGHT, LONG), RIGHT)
SHORT = "*About 35 minutes to read and run, and 30 for the exercise. You need lesson 01.*"
check("two sittings become one", with_minutes(RIGHT, Estimate(600, 3, 2)), SHORT)
check("a further exercise has one number", with_minutes(FURTHER, Estimate(600, 0, 2)), FURTHER.replace("90", "35"))
check("where a sitting ends is written", with_minutes(PAGE + REST, LONG).partition("after ")[2][:16], "about 30 minutes")


def lacking(page, lesson):
    return [re.sub(r"^.*(place to stop|two sittings|second one).*$", r"\1", line) for line in unrested(page, lesson)]


HALVES = " (two sittings: TODO 1 to 4, then 5 to 9)"
FIRST = "\n".join(f"**add_kernel{number}** adds.\n" for number in range(6))
check("a short page needs no rest", lacking(SHORT, Estimate(600, 3, 2)), [])
check("a long page and a long exercise do", lacking(RIGHT, LONG), ["place to stop", "two sittings"])
RESTED = RIGHT.replace(" exercise.", f" exercise{HALVES}.") + "\n\n" + FIRST + REST
check("a page and an exercise in two sittings", lacking(RESTED, LONG), [])
check("a rest that is too late", lacking(RESTED, Estimate(600, 20, 9)), ["place to stop"])
check("a second sitting that is too long", lacking(RESTED.replace("4, then 5 to 9", "0, then 1 to 9"), LONG), ["two sittings"])
check("sittings that leave a TODO out", lacking(RESTED.replace("then 5", "then 6"), LONG), ["second one"])
check("a further exercise with its reading", lacking(FURTHER, Estimate(900, 0, 8)), ["two sittings"])
check("a page without minutes", len(unrested("# Title\n", LONG)), 1)

ROWS = "| [03 relu](lessons/lesson03_relu/README.md) | 90 | about |\nand [03b](../lesson03b_x/README.md) (30 minutes), [04](../lesson04_y/README.md)\n"
RENEWED = ROWS.replace("90", "65 + 105").replace("30", "115")
check("what repeats the minutes", repeated(ROWS, {"03": "65 + 105", "03b": "115", "04": ""}), RENEWED)

LESSONS = [Lesson("01", Path("lessons/lesson01_a"), 40, 90, []), Lesson("02", Path("lessons/lesson02_b"), 75, 60, ["01"])]
PATHS = """| when | read and run | exercise | minutes |
|---|---|---|---|
| noon | [01](lessons/lesson01_a/README.md), [02](lessons/lesson02_b/README.md) | [01](lessons/lesson01_a/README.md#exercise) | 1 |
| night | [02](lessons/lesson02_b/README.md) | | 1 |

In all 1 minutes (1 hours). Then sleep.

| day | [02](lessons/lesson02_b/README.md) | [02](lessons/lesson02_b/README.md) | |

In all 1 minutes (1 hours).
"""
SUMS = re.findall(r"\| (\d+) \|$|In all (.*)\)", with_sums(PATHS, LESSONS), re.MULTILINE)
check("the sums of the paths", [one or other for one, other in SUMS], ["205", "75", "280 minutes (5 hours", "135", "135 minutes (2 hours"])

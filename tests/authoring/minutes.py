"""Checks of workbook.minutes."""
from workbook.minutes import Estimate, estimate


def check(name, found, expected):
    print(f"ok {name}" if found == expected else f"not ok {name}: {found!r}, expected {expected!r}")


PAGE = """# Two words

*About 90 minutes, all included. You need lesson 01.*

<!-- diff: not counted -->
```diff
+not counted
```

| not | counted |
|---|---|

**add_kernel1** is <!--= x -->5 [here](not/counted.md). **add_kernel2** begins no paragraph.

**add_kernel10** ends.

**Why** not?
"""
EXERCISE = "//> TODO 1: add.\nint x; // as in TODO 1\n    // TODO 2: see TODO 1\n"
WORDS = 2 + 9 + 8 + 2 + 2

check("what a page has", estimate(PAGE, EXERCISE), Estimate(WORDS, 2, 2, 90))
check("a page without minutes", estimate("# Title\n", "").stated, 0)
check("the formula, to the next five", [Estimate(words, 3, 2, 0).minutes for words in (1500, 1820, 1890)], [70, 70, 75])

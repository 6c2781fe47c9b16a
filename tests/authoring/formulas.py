"""Checks of workbook.formulas, pages, records and recording; argument: a folder to write into."""
import sys
from pathlib import Path

from workbook import record, recording, records
from workbook.formulas import FUNCTIONS, Evaluator, FormulaError, filled, parse_definition, shown
from workbook.messages import Failure
from workbook.pages import Page, without_formulas


def check(name, found, expected):
    print(f"ok {name}" if found == expected else f"not ok {name}: {found!r}, expected {expected!r}")


def refuses(name, function, *arguments):
    try:
        print(f"not ok {name}: it gives {function(*arguments)!r}")
    except (FormulaError, records.RecordError, Failure) as error:
        print(f"ok {name}" if str(error) else f"not ok {name}: it says nothing")


HEAD = "section,row,column,value,unit,card,date\n"
ROWS = 's SEED=1,k1,ms,0.2510,ms,NVIDIA H200,2026-11-21\ns SEED=1,k1,% of copy,62.97,%,NVIDIA H200,2026-11-21\n"a, b",k2,ms,2,ms,NVIDIA H200,2026-11-22\n'
folder = Path(sys.argv[1]) / "lesson"
(folder / "measured").mkdir(parents=True)
(folder / "measured/h200.csv").write_text(HEAD + ROWS)
loaded = records.load(folder / "measured/h200.csv")

check("a record knows its card and its day", (loaded.card, loaded.date, loaded.date_of("a, b")), ("NVIDIA H200", "2026-11-21", "2026-11-22"))
check("a value is a number", loaded.value("s SEED=1", "k1", "ms"), 0.251)
check("sections and rows keep their order", (loaded.sections(), loaded.rows("s SEED=1")), (["s SEED=1", "a, b"], ["k1"]))
refuses("a row that is not there is refused", loaded.value, "s SEED=1", "k2", "ms")
check("a section that is measured again takes the old one's place", [r.value for r in records.merged(loaded.lines, [loaded.lines[2], loaded.lines[0]])], ["0.2510", "2"])
for card, name in {"NVIDIA H100 80GB HBM3": "h100.csv", "NVIDIA GeForce RTX 4090": "rtx4090.csv", "Tesla T4": "t4.csv", "NVIDIA A100-SXM4-80GB": "a100.csv"}.items():
    check(f"{card} has its file", records.file_name(card), name)

evaluate = Evaluator(FUNCTIONS, {"twice": parse_definition("twice(x) = 2 * x")})
check("a formula with a format", shown(evaluate, "twice(1 / 3):.2f"), "0.67")
check("a colon in quotes is no format", shown(evaluate, "'a:b'"), "a:b")
check("places in a list", shown(evaluate, "[k for (k, v) in enumerate(['a', 'b', 'a']) if v == 'a']"), "[0, 2]")
check("a template", filled(evaluate, "{join([v for v in [1, 2] if v > 1], ', ')} and {f'{2:03d}'}"), "2 and 002")
for bad in ("().__class__", "open('/etc/passwd')", "__import__('os')", "(lambda: 1)()", "[].append", "2 ** 100000", "twice(1, 2)", "1 +", "f'{1!r}'"):
    refuses(f"no formula: {bad}", evaluate, bad)

PAGE = """# Title

<!--:
share(v) = value("s SEED=1", v, "% of copy")
-->

It is <!--= share("k1"):.0f -->63 % on an <!--= card -->NVIDIA H200<!--/-->.

<!--= table v in rows("s SEED=1")
version | {v}
* ms ({date}) | {value("s SEED=1", v, "ms"):.4f}
-->
| version | ms (2026-11-21) |
|---|---|
| k1 | 0.2510 |

<!--= code v in rows("s SEED=1")
{v:<8} {value("s SEED=1", v, "ms"):.2f}
-->
```
k1       0.25
```
"""


def page(text):
    path = folder / "README.md"
    path.write_text(text, "utf-8")
    return Page(path)


def unmeasured(text):
    """The errors in a page of a lesson that has no record."""
    path = Path(sys.argv[1]) / "fresh.md"
    path.write_text(text)
    fresh = Page(path)
    fresh.fill()
    return [difference.found for difference in fresh.differences]


check("a page may say that a number is not measured yet", unmeasured("It is <!--= 2 * 3 -->not measured yet<!--/-->.\n"), [])
check("a number without a record is found", len(unmeasured("It is <!--= 2 * 3 -->6 %.\n")), 1)


def differences(text):
    checked = page(text)
    checked.fill()
    return [(difference.line, difference.expected, difference.found) for difference in checked.differences]


check("a page with the numbers of its record", differences(PAGE), [])
check("a number that differs, with its line", differences(PAGE.replace("63 %", "64 %")), [(7, "63", "64")])
check("a sentence can be reworded", differences(PAGE.replace("It is", "Version 1 reaches")), [])
check("a row of a table that differs", differences(PAGE.replace("| k1 | 0.2510", "| k1 | 0.2511")), [(9, "| k1 | 0.2510 |", "| k1 | 0.2511 |")])
MARKED = PAGE.replace("-->\n| version", "! k1 | ms\n-->\n| version")
check("a marked number is bold", "| k1 | **0.2510** |" in page(MARKED).fill(), True)
check("a marked number that is not bold", differences(MARKED), [(9, "| k1 | **0.2510** |", "| k1 | 0.2510 |")])
check("a mark without its row", [found for _, _, found in differences(MARKED.replace("! k1", "! k2"))], ["no cell to mark: row `k2`, column `ms`"])
check("a row too many", differences(PAGE.replace("0.2510 |\n", "0.2510 |\n| k2 | 1 |\n")), [(9, "no such line", "| k2 | 1 |")])
check("a line of code that differs", differences(PAGE.replace("k1       0.25\n", "k1       0.26\n")), [(17, "k1       0.25", "k1       0.26")])
check("what is filled is right", differences(page(PAGE.replace("63 %", "1 %").replace("0.2510", "?")).fill()), [])
for name, old, new in (
    ("a formula that begins a line", "It is <!--", "<!--"),
    ("words without an end", "<!--/-->", ""),
    ("a formula in a block of code", "# Title\n", "# Title\n\n```\nx <!--= 1 -->1\n```\n"),
    ("a row that the record lacks", 'share("k1")', 'share("k9")'),
    ("two dashes, which GitHub would show", 'share("k1")', 'share("k1--")'),
):
    check(f"refused: {name}", any(expected == "" for _, expected, _ in differences(PAGE.replace(old, new))), True)
seen = without_formulas(PAGE)
check("a reader sees no formula", ("<!--" in seen, "It is 63 % on an NVIDIA H200.\n\n| version" in seen), (False, True))

(folder / "measured/h100.csv").write_text(HEAD + ROWS.replace("NVIDIA H200", "NVIDIA H100").replace("0.2510", "0.3"))
filled_page = page(PAGE).fill()
check("with two cards a column with a star is there twice", "| version | ms (2026-11-21) | ms (2026-11-21), H100 |\n|---|---|---|\n| k1 | 0.2510 | 0.3000 |" in filled_page, True)
ONE_CARD = PAGE.replace("{date}", "{card}").replace("<!--=", "<!--=@h100")
other = page(ONE_CARD).fill()
check("a card's own record", ("-->NVIDIA H100<!--/-->" in other, "| ms (NVIDIA H100) |\n|---|---|\n| k1 | 0.3000 |" in other), (True, True))
check("a card without a record", [found for _, _, found in differences(PAGE.replace("<!--= share", "<!--=@t4 share"))][0].startswith("there is no"), True)
check("a reader sees no card's formula", "<!--" in without_formulas(ONE_CARD), False)
(folder / "measured/anywhere.csv").write_text(HEAD + "s,all,recall,0.5,,,2026-11-23\n")
both = records.records_of(folder)
check("what names no card is part of each card's record", [(r.card, r.value("s", "all", "recall")) for r in both], [("NVIDIA H200", 0.5), ("NVIDIA H100", 0.5)])
check("and no column of its own", page(PAGE).fill(), filled_page)

items = recording.parse("run p SEED=1\n# no\nncu p SIZE=2 kernels=^k each=1\n  a.sum b.sum\nbuild q p.cu 'A = 1' 'A = 2' code=90a\n", "list")
some = recording.parse("sanitize p SIZE=2 kernels=k launches=3\n", "list")[0]
check("some launches for compute-sanitizer", (some.section, some.options), ("compute-sanitizer p SIZE=2", {"kernels": "k", "launches": "3"}))
check("what is recorded", [(i.line, i.kind, i.section) for i in items], [(1, "run", "p SEED=1"), (3, "ncu", "ncu p SIZE=2"), (5, "build", "q p.cu A = 1 A = 2")])
check("a line goes on in the next", items[1].words, ["p", "a.sum", "b.sum"])
limited = recording.parse("sanitize p SIZE=2 kernels=_k launches=8\n", "list")[0]
check("sanitize can be limited", (limited.section, limited.options), ("compute-sanitizer p SIZE=2", {"kernels": "_k", "launches": "8"}))
kept = recording.parse('run p SEED=1\nkeep tuning "plain loops"\n', "list")
check("sections that no line measures", recording.unlisted(kept, ["machine", "p SEED=1 n=2", "p SEED=12", "tuning, run 1", "plain loops", "ncu p"]), ["p SEED=12", "ncu p"])
stepped = recording.parse("step made.sh\n", "list")
check("what a step measures is not known", recording.unlisted(stepped, ["any"]), [])
source = folder / "p.cu"
source.write_text("enum { K = 1 };\n")
check("a program with its replacements", recording.Build("q", source, [("K = 1", "K = 2")]).text(), "enum { K = 2 };\n")
refuses("a program without what is to be replaced", recording.Build("q", source, [("K = 3", "K = 2")]).text)
refuses("a list with another word", recording.parse, "measure p\n", "list")
NCU = '==PROF==\n"ID","Kernel Name","a.sum"\n"","","ns"\n"0","void k<(int)3>(float *)","1,024"\n"1","void k<(int)3>(float *)","7"\n"2","void c::k<c::p<int>, T>(T2 (*)())","1"\n'
check("ncu's counts", record.parse_ncu(NCU, ["a.sum"]), [("k<3>", "a.sum", "1024", "ns"), ("k<3> #2", "a.sum", "7", "ns"), ("c::k", "a.sum", "1", "ns")])

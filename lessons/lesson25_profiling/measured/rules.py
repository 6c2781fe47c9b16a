"""rules.py: what ncu's rules say of the lesson's kernels and of the exercise's, as it is given: a step of record.list, a section for each kernel.
rules.py advice: the H200's, a line for each rule with tabs between: kernel, estimate, text.

A row is a rule (OPT in the report) with the time that ncu estimates to be won, of the kernel or of one unit alone ("local"), in percent, and its text.
The order of the advice: first what has no estimate, as what stands under Speed Of Light, at the top; then the estimates for the whole kernel, the
largest first. What is local is left out. The GPU's clocks are left alone, as in all that is measured here."""

import os
import re
import subprocess
import sys
from pathlib import Path

KERNELS = {
    "lesson25": "scale_kernel1 shape_kernel1 turn_kernel1 energy_kernel1".split(),
    "given": "center_kernel running_kernel bend_kernel peaks_kernel".split(),
}
SETTINGS = {"V": "1", "SIZE": "65536", "ONE_SIZE": "1"}
NCU = "ncu --clock-control none --set full --import-source no --launch-count 1 --kill yes --page details --kernel-name".split()


def rules(report):
    """The columns of each rule of a report."""
    found, text = [], None
    for line in report.splitlines():
        rule = re.match(r" +OPT +(.*)", line)
        if rule:
            estimate = re.match(r"Est\. (Local )?Speedup: ([\d.]+)%", rule[1])
            text = [] if estimate else rule[1].split()
            name = "local estimate" if estimate and estimate[1] else "estimate"
            found.append(({name: float(estimate[2])} if estimate else {}, text))
        elif not line.strip() or re.match(r" +(Section:|-----|INF |WRN )", line):
            text = None
        elif text is not None:
            text += line.split()
    return [{**columns, **({"text": " ".join(words)} if words else {})} for columns, words in found]


def record_rules(kernel, found):
    """Appends a section to the record."""
    from common import record

    record.part(kernel)
    for number, columns in enumerate(found, 1):
        for column, value in columns.items():
            record.row(str(number), column, value, "" if column == "text" else "%")


def measure():
    """Asks ncu about each kernel. Exit status 1: it says nothing of one."""
    programs = Path(os.environ["FOLDER"])
    environment = {name: value for name, value in {**os.environ, **SETTINGS}.items() if name != "RECORD"}
    for program, kernels in KERNELS.items():
        for kernel in kernels:
            command = [*NCU, f"regex:^{kernel}", str(programs / program)]
            done = subprocess.run(command, env=environment, timeout=60, capture_output=True, text=True, check=False)
            found = rules(done.stdout)
            if not found:
                sys.exit(f"rules.py: ncu says nothing of {kernel}: {(done.stdout + done.stderr)[-300:]}")
            print(f"{kernel}: {len(found)} rules")
            record_rules(kernel, found)


def advice():
    """Prints what the record has, in the order in which it is to be read."""
    sys.path.insert(0, "tools")
    from workbook import records

    record = records.load(Path(__file__).with_name("h200.csv"))
    for section in sorted(section for section in record.sections() if section.startswith("rules ")):
        kept = []
        for row in record.rows(section):
            columns = record.columns(section, row)
            if "local estimate" not in columns:
                estimate = record.value(section, row, "estimate") if "estimate" in columns else None
                kept.append((estimate, record.value(section, row, "text") if "text" in columns else "(not in the record)"))
        kept.sort(key=lambda rule: -1e9 if rule[0] is None else -rule[0])
        for estimate, text in kept:
            print(section.split()[1], "-" if estimate is None else f"{estimate:.10g}", text, sep="\t")


if __name__ == "__main__":
    (advice if sys.argv[1:] == ["advice"] else measure)()

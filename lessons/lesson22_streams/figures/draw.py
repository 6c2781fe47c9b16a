"""The page's figures. What is in pipeline2 to pipeline6, the program has written to pipeline2.txt to pipeline6.txt
(TIMELINE=pipeline2.txt make lesson22 run V=2); times6 is from the record."""
from pathlib import Path

from workbook import records, timeline
from workbook.drawing import Drawing, figure


def written(name: str) -> Drawing:
    return timeline.draw((Path(__file__).parent / f"{name}.txt").read_text("utf-8"))


@figure
def pipeline2() -> Drawing:
    return written("pipeline2")


@figure
def pipeline3() -> Drawing:
    return written("pipeline3")


@figure
def pipeline4() -> Drawing:
    return written("pipeline4")


@figure
def pipeline6() -> Drawing:
    return written("pipeline6")


@figure
def times6() -> Drawing:
    """What version 6 did when, on a GPU."""
    record, section = records.beside(__file__), "lesson22 V=6 SIZE=8388608 timeline"
    lines = ["title pipeline6", "unit ms"]
    for operation in record.rows(section):
        stream, begin, end = (record.numbers(section, column)[operation] for column in ("stream", "from", "to"))
        lines.append(f"{operation} {stream:.0f} {begin:.6g} {end:.6g}")
    return timeline.draw("\n".join(lines))

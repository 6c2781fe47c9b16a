"""The page's roofline: speeds and roofs are the program's, bytes are those that ncu counted, all from the record."""
import re

from workbook import recorded
from workbook.charts import Limit, Version, roofline as draw_roofline
from workbook.drawing import Drawing, figure

FLOP = 2 * 4096**3
WHERE = ["above", "left", "below", "left", "right", "left"]  # of its point a version's name is


def counted(record: recorded.Recorded) -> dict[tuple[str, str], float]:
    """ncu's numbers, by kernel and metric."""
    rows = [line.split() for line in record.lines("ncu")]
    return {(row[0], row[1]): float(row[2]) for row in rows if len(row) == 3 and row[2].isdigit()}


@figure
def roofline() -> Drawing:
    record = recorded.read(__file__)
    printed = "\n".join(record.lines("lesson15, SEED=1"))
    peak, how = re.findall(r"^fp32 peak: ([\d.]+) .*= (.*)", printed, re.MULTILINE)[0]
    copy = re.findall(r"^copy kernel: ([\d.]+)", printed, re.MULTILINE)[0]
    count = counted(record)
    versions = []
    for (name, speed), where in zip(record.rates("lesson15, SEED=1").items(), WHERE):
        sectors = count[name, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] if name != "cuBLAS" else None
        of_memory = count[name, "dram__bytes_read.sum"] + count[name, "dram__bytes_write.sum"]
        versions.append(Version(name, FLOP / 32 / sectors if sectors else None, FLOP / of_memory, speed, where))
    title = "C = A * B in float, all matrices 4096 x 4096"
    return draw_roofline(title, record.note, Limit(float(copy), "copy kernel"), Limit(float(peak), how), versions)

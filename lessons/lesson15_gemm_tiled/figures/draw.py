"""The page's roofline: speeds and roofs are the program's, bytes are those that ncu counted, all from the record."""
from workbook import records
from workbook.charts import Limit, Version, roofline as draw_roofline
from workbook.drawing import Drawing, figure

MAIN, COUNTS = "lesson15 SEED=1", "ncu lesson15 SIZE=4096"
FLOP = 2 * 4096**3
WHERE = ["above", "left", "below", "left", "right", "left"]  # of its point a version's name is


def counted(record: records.Record, metric: str) -> dict[str, float]:
    """ncu's numbers, by version; the library's kernel has a name of its own, and is the only other one."""
    numbers = record.numbers(COUNTS, metric)
    return {name if name.startswith("sgemm_kernel") else "cuBLAS": number for name, number in numbers.items()}


@figure
def roofline() -> Drawing:
    record = records.beside(__file__)
    copy = record.numbers(MAIN, "GB/s")["copy kernel"]
    rates = record.numbers(MAIN, "TFLOP/s")
    sectors = counted(record, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
    read, written = counted(record, "dram__bytes_read.sum"), counted(record, "dram__bytes_write.sum")
    versions = []
    for name, where in zip(sectors, WHERE):
        loaded = FLOP / 32 / sectors[name] if name != "cuBLAS" else None
        versions.append(Version(name, loaded, FLOP / (read[name] + written[name]), rates[name], where))
    units, lanes, clock = (record.numbers(MAIN, what)["fp32 peak"] for what in ("multiprocessors", "lanes", "clock"))
    how = f"{units:.0f} multiprocessors x {lanes:.0f} lanes x 2 x {clock:.3f} GHz"
    title = "C = A * B in float, all matrices 4096 x 4096"
    return draw_roofline(title, record.note, Limit(copy, "copy kernel"), Limit(rates["fp32 peak"], how), versions)

"""The page's figures. The speeds are those of the record."""
from workbook import records
from workbook.charts import Limit, Rung, ladder as draw_ladder
from workbook.drawing import Drawing, figure

IDEAS = [
    "every 2nd thread", "first threads", "neighbours", "two per thread", "last warp", "shuffles", "grid-stride loop",
    "many float4", "atomics", "last block", "sum and mark",
]  # fmt: skip


@figure
def ladder() -> Drawing:
    record = records.beside(__file__)
    rates = record.numbers("lesson10 SEED=1 n=268435456 cold", "GB/s")
    rungs = [Rung(f"{k} {idea}", rates[f"sum_kernel{k}"], rates["CUB"]) for k, idea in enumerate(IDEAS, 1)]
    title = "The sum of 2^28 floats, in eleven versions: bytes read per second"
    return draw_ladder(title, record.note, "GB/s", "CUB DeviceReduce", rungs, Limit(4800, "data sheet"))

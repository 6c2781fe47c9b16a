"""The page's figures. The speeds are those of the record."""
from workbook import records
from workbook.charts import Limit, Rung, ladder as draw_ladder
from workbook.drawing import Drawing, figure

IDEAS = [
    "shared tiles", "8 x 1 per thread", "8 x 8 per thread", "float4", "no conflicts", "warp tiles", "double buffers",
    "cp.async", "tuned",
]  # fmt: skip


@figure
def ladder() -> Drawing:
    record = records.beside(__file__)
    rates = record.numbers("lesson16 SEED=1", "TFLOP/s")
    rungs = [Rung(f"{k} {idea}", rates[f"sgemm_kernel{k}"], rates["cuBLAS"]) for k, idea in enumerate(IDEAS, 1)]
    title = "A product of 4096 x 4096 matrices in fp32, in nine versions"
    return draw_ladder(title, record.note, "TFLOP/s", "cuBLAS", rungs, Limit(rates["fp32 peak"], "every lane busy"))

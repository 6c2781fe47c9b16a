"""The page's figures. The speeds are those of the record."""
from workbook import recorded
from workbook.charts import Rung, ladder as draw_ladder
from workbook.drawing import Drawing, figure


@figure
def ladder() -> Drawing:
    record = recorded.read(__file__)
    rates = record.rates("lesson14, SEED=1", "^8192 x 8192, fp32$")
    ideas = ["thread per row", "warp per row", "16 bytes, 4 loads", "two rows per warp", "two rows per block", "split"]
    rungs = [Rung("cuBLAS", rates["cuBLAS"], rates["copy kernel"])]
    rungs += [Rung(f"{k} {idea}", rates[f"gemv_kernel{k}"], rates["copy kernel"]) for k, idea in enumerate(ideas, 1)]
    return draw_ladder("8192 x 8192 floats times a vector", record.note, "GB/s", "a copy kernel", rungs)

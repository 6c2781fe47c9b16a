"""The page's figures. The speeds are those of the record."""
from workbook import recorded
from workbook.charts import Rung, ladder as draw_ladder
from workbook.drawing import Drawing, figure


@figure
def ladder() -> Drawing:
    record = recorded.read(__file__)
    rates = record.rates("SEED=1")
    rungs = [Rung(name, rate, rates["copy kernel"]) for name, rate in rates.items() if "_kernel" in name]
    return draw_ladder("A stencil of radius 16 over 2^26 floats", record.note, "GB/s", "a copy kernel", rungs)

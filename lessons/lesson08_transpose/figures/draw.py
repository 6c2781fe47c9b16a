"""The page's figures. The speeds are those of the record."""
from workbook import recorded
from workbook.charts import Rung, ladder as draw_ladder
from workbook.drawing import Drawing, figure


@figure
def ladder() -> Drawing:
    record = recorded.read(__file__)
    rates = record.rates("SEED=1", "^16384 x 16384$")
    names = [name for name in rates if name == "cuBLAS" or "_kernel" in name]
    rungs = [Rung(name, rates[name], rates["copy kernel"]) for name in names]
    return draw_ladder("The transpose of 16384 x 16384 floats", record.note, "GB/s", "a copy kernel", rungs)

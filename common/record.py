"""record.py - a measurement as a row of data, in addition to the table for people: record.h for lessons in Python.

    record.part("n=1000")                          the rows from here on belong to the section "lesson27 SEED=1 n=1000"
    record.row("gelu_forward", "ms", 0.25, "ms")

With RECORD=FILE, on a GPU, each call appends section,row,column,value,unit,card,date to that file. Otherwise nothing happens. Values that need no
GPU are recorded with RECORD_CARD= for no card.
"""

import csv
import datetime
import os

from common import device

_part = ""


def part(name):
    """The rows that follow belong to this part of the section; "" for none."""
    global _part
    _part = name


def _on_emulator():
    try:
        return device.is_emulator()
    except OSError:  # a script that finds its CUDA runtime in PyTorch
        return False


def row(name, column, value, unit=""):
    """Records a number, or a word."""
    path = os.environ.get("RECORD")
    card = os.environ.get("RECORD_CARD")
    if not path or (card != "" and _on_emulator()):
        return
    section = " ".join(filter(None, (os.environ.get("RECORD_SECTION"), _part)))
    card = device.gpu_name() if card is None else card
    text = value if isinstance(value, str) else f"{value:.10g}"
    with open(path, "a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow("section row column value unit card date".split())
        today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
        writer.writerow([section, name, column, text, unit, card, today])

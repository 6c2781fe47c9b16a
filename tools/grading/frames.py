"""frames.py - the messages between the judge and the runner of a grading in Python: a header in JSON, followed by arrays
in their memory layout. Without pickle, a message cannot execute code."""

import json
import math
import struct

import numpy as np

LARGEST = 1 << 28  # bytes, of a header or of an array
KINDS = "fiub"  # of numbers


def send(put, header, arrays=None):
    """`arrays`: by name, or, for a job, a list. `put` sends all of its bytes."""
    arrays = arrays or {}
    named = arrays.items() if isinstance(arrays, dict) else ((str(at), array) for at, array in enumerate(arrays))
    named = [(name, np.ascontiguousarray(array)) for name, array in named]
    shapes = [{"name": name, "dtype": array.dtype.str, "shape": array.shape} for name, array in named]
    text = json.dumps({**header, "attached": shapes}).encode()
    put(struct.pack("<I", len(text)) + text)
    for _, array in named:
        put(array.tobytes())


def read(take, size):
    if size > LARGEST:
        raise ValueError("too long a frame")
    parts = bytearray()
    while len(parts) < size:
        part = take(min(size - len(parts), 1 << 20))
        if not part:
            return None
        parts += part
    return bytes(parts)


def attached(take, order):
    dtype, shape = np.dtype(order["dtype"]), tuple(int(length) for length in order["shape"])
    if dtype.kind not in KINDS or any(length < 0 for length in shape):
        raise ValueError("no array of numbers")
    content = read(take, math.prod(shape) * dtype.itemsize)
    return None if content is None else np.frombuffer(content, dtype).reshape(shape)


def receive(link, take=None):
    """The header and the arrays, in their order; None and nothing if the other side has ended."""
    take = take or link.recv
    length = read(take, 4)
    text = None if length is None else read(take, struct.unpack("<I", length)[0])
    if text is None:
        return None, []
    header = json.loads(text)
    orders = header.pop("attached")
    header["attached_names"] = [order["name"] for order in orders]
    arrays = [attached(take, order) for order in orders]
    return header, arrays

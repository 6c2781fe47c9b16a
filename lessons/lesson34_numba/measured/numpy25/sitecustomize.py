"""NumPy 2.5 has taken a name away for which numba-cuda 0.30.4 asks when it is imported; PYTHONPATH with this folder gives it back."""

import numpy

if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack

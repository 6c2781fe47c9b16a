"""Triton on the CUDA emulator.

Triton finds this package by itself, as a backend (driver.py), when a program runs under `cuda-emulator`. Arrays in
device memory come from PyTorch where there is a GPU; here they may come from this package, or be any objects with
`data_ptr()` and `dtype`:

    from cuda_emulator_triton.arrays import empty, to_device, zeros
"""

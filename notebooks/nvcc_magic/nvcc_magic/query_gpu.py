"""Asks the NVIDIA driver which GPUs there are. A program of its own, so that the notebook's process stays without CUDA.

Prints `driver 13000` (the CUDA version that the driver supports, times 1000) and for each GPU `gpu 90 NVIDIA H200`.
With no usable GPU it prints why and exits 1. tools/gpu_query.c does the same where there is a checkout.
"""

import ctypes
import sys

CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_...
NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE


def ask(driver):
    """A list of lines, or a text that says why there are none."""
    error = driver.cuInit(0)
    if error == NO_DEVICE:
        return "the driver shows no GPU (CUDA_VISIBLE_DEVICES may hide it)"
    if error:
        return f"the driver does not start (cuInit returns error {error})"
    version, count = ctypes.c_int(), ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(version))
    driver.cuDeviceGetCount(ctypes.byref(count))
    lines = [f"driver {version.value}"]
    for index in range(count.value):
        device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        name = ctypes.create_string_buffer(256)
        driver.cuDeviceGet(ctypes.byref(device), index)
        driver.cuDeviceGetAttribute(ctypes.byref(major), CAPABILITY_MAJOR, device)
        driver.cuDeviceGetAttribute(ctypes.byref(minor), CAPABILITY_MINOR, device)
        driver.cuDeviceGetName(name, len(name), device)
        lines.append(f"gpu {major.value}{minor.value} {name.value.decode()}")
    return lines if count.value else "the driver reports no GPU"


def main():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        sys.exit(f"the driver's library is missing ({error})")
    if hasattr(driver, "emulatorIsNoDriver"):  # its folder is on the library path
        sys.exit("the emulator's folder is on the library path, and its libcuda.so.1 is no driver")
    answer = ask(driver)
    if isinstance(answer, str):
        sys.exit(answer)
    print("\n".join(answer))


if __name__ == "__main__":
    main()

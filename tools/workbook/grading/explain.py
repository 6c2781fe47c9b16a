"""Explanations of compiler errors whose own advice misleads a learner."""
import re

NEWER_GPU = re.compile(
    r"requires \.target sm_|identifier \"(__reduce_[a-z]*_sync|__nanosleep|__hmax_nan|__hmin_nan|__hfma_relu)\" is undefined"
    r"|not supported on .*(sm_|compute_)[0-9]|[Nn]ot supported .*architecture"
)


def explain(log: str, architectures: str) -> list[str]:
    """Lines to print after the compiler's. The first of `architectures` is the one that the file was compiled for, as in compute_75."""
    said = []
    if "constexpr __host__ function" in log:
        said.append("In a kernel, use the functions for floats, sqrtf(2.0f) or fmaxf(a, b), and constants such as M_SQRT1_2; no flag is needed.")
    if "undefined reference to" in log:
        said.append("A function is used but not defined: is its name spelled the same in both places?")
    if re.search(r"fatal error: .*: (No such file or directory|Permission denied)", log):
        said.append(
            "A submission may include its own headers (beside it or below), headers in common/, and the toolkit's. "
            "Nothing else is there while it is compiled."
        )
    return said + (explain_newer(log, architectures) if NEWER_GPU.search(log) else [])


def explain_newer(log: str, architectures: str) -> list[str]:
    """A feature of another GPU: nvcc does not declare it, and ptxas names an architecture or a version."""
    asked = re.search(r"(?:^|[ ,=\n])(?:sm|compute)_(\d*)(\d)[af]?(?=[ ,=\n]|$)", architectures)
    needed = re.search(r"requires \.target sm_(\d*[af]*)", log)
    capability = f", here of compute capability {asked[1]}.{asked[2]}" if asked else ""
    number = needed[1] if needed and needed[1] else "80"
    return [
        f"An exercise is compiled for the oldest GPU that it is for{capability}. For a newer one add a line to your file:",
        f"// nvcc: -gencode arch=compute_{number},code=compute_{number}",
    ]

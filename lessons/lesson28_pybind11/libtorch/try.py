"""try.py FOLDER: imports the two modules that CMake has built in FOLDER, each in a process of its own, and says what
comes of it: PASS if the one that is linked with libtorch_python computes GELU, and the other one cannot be imported."""

import os
import subprocess
import sys

import torch

sys.path.insert(0, os.path.join(sys.argv[1], "linked"))


def told(words):
    said = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True)
    return (said.stdout + said.stderr).strip().split("\n")[-1]


def is_right(device):
    import gelu_torch

    torch.manual_seed(1)
    x = torch.randn(1000, 33, device=device)
    stream = torch.cuda.current_stream().cuda_stream if device == "cuda" else 0
    expected = torch.nn.functional.gelu(x.double()).float()  # PyTorch's own float version may be 1e-6 away from that
    close = torch.allclose(gelu_torch.forward(x, stream), expected, rtol=1e-5, atol=1e-6)
    print(f"linked with libtorch_python, tensors of {device}: {'as PyTorch computes it' if close else 'wrong'}")
    return close


def main():
    print(f"PyTorch {torch.__version__}, std::string with __cxx11: {torch.compiled_with_cxx11_abi()}")
    right = [is_right(device) for device in ["cpu"] + ["cuda"] * torch.cuda.is_available()]
    folders = {kind: os.path.join(sys.argv[1], kind) for kind in ("forgotten", "linked")}
    forgotten = told(f"import torch, sys; sys.path.insert(0, {folders['forgotten']!r}); import gelu_torch")
    print(f"without libtorch_python: {forgotten}")
    right.append("undefined symbol: " in forgotten and "type_casterIN2at6Tensor" in forgotten)
    first = told(f"import sys; sys.path.insert(0, {folders['linked']!r}); import gelu_torch")
    print(f"imported before torch: {first}")
    right.append("cannot open shared object file" in first)
    print("PASS: gelu_torch" if all(right) else "FAIL: gelu_torch")
    return not all(right)


sys.exit(main())

"""export.py - from PyTorch to a model that calls CustomGelu: for a Python with PyTorch, onnxscript, onnx and ONNX Runtime.

PyTorch has an operator workbook::gelu (any implementation: here its own GELU), a network calls it, and torch.onnx.export
writes the network as a model. What stands there for workbook::gelu is said by us. measured/record.list and
tests/lessons/onnx_export.test.sh run it, with the lesson's library (LESSON_LIBRARIES).
"""

import os
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import lesson32  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from common import record, verify  # noqa: E402

try:
    import onnxscript
    import torch
except ImportError as error:
    print(f"not tried: {error}")
    sys.exit(0)

DOMAIN, ATOL, RTOL = lesson32.DOMAIN, 1e-5, 1e-5


@torch.library.custom_op("workbook::gelu", mutates_args=())
def gelu(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x)


@gelu.register_fake
def _(x):
    """The exporter runs the network with tensors that have a shape and no numbers."""
    return torch.empty_like(x)


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(8, 16), torch.nn.Linear(16, 4)

    def forward(self, x):
        return self.second(torch.ops.workbook.gelu(self.first(x)))


class Symbolic(torch.nn.Module):
    """The shorter way: a node is named in the network itself. PyTorch cannot run that, only export it."""

    def forward(self, x):
        return torch.onnx.ops.symbolic(f"{DOMAIN}::CustomGelu", (x,), {}, dtype=x.dtype, shape=x.shape, version=1)


def tell_onnx():
    """With a schema the package onnx knows the operator: it checks models that use it, and onnxscript can write them."""
    schema = onnx.defs.OpSchema
    floats = ["tensor(float)", "tensor(float16)"]
    made = schema(
        "CustomGelu", DOMAIN, 1,
        inputs=[schema.FormalParameter("x", "T")],
        outputs=[schema.FormalParameter("y", "T")],
        attributes=[schema.Attribute("approximate", schema.AttrType.STRING, required=False)],
        type_constraints=[("T", floats, "float or float16")],
    )  # fmt: skip
    onnx.defs.register_schema(made)


def export(network, x, translations=None):
    table = {"custom_translation_table": translations} if translations else {}
    batch = torch.export.Dim("batch")
    program = torch.onnx.export(network, (x,), dynamo=True, dynamic_shapes=({0: batch},), verbose=False, **table)
    return program.model_proto


def nodes_of(model):
    return [f"{node.domain}:{node.op_type}".lstrip(":") for node in model.graph.node]


def causes_of(error):
    """An exception, and those that it came from."""
    texts = []
    while error:
        texts.append(str(error))
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def run(model, x):
    session = lesson32.session_of(model)
    return session.run(None, {session.get_inputs()[0].name: x.numpy()})[0]


def main():
    torch.manual_seed(1)
    network, x = Network().eval(), torch.randn(5, 8)
    tell_onnx()
    workbook = onnxscript.values.Opset(DOMAIN, 1)

    def translated(x):
        return workbook.CustomGelu(x)

    try:
        export(network, x)
        said = "nothing"
    except Exception as error:  # the class has moved between versions
        said = next((line for line in causes_of(error).splitlines() if "No ONNX function found" in line), str(error))
    verify.fact("without a translation", "No ONNX function found" in said, True)
    print(f"without a translation: {said[said.find('No ONNX'):].split('. Failure')[0]}")

    model = export(network, x, {torch.ops.workbook.gelu.default: translated})
    verify.fact("the nodes", nodes_of(model), ["Gemm", f"{DOMAIN}:CustomGelu", "Gemm"])
    onnx.checker.check_model(model)
    print(f"with one: {', '.join(nodes_of(model))}")
    record.row("with a translation", "nodes", ", ".join(nodes_of(model)))
    for rows in (1, 3, 100):
        given = torch.randn(rows, 8)
        with torch.no_grad():
            verify.floats(f"{rows} rows", run(model, given), network(given).numpy().astype(np.float64), ATOL, RTOL)
    model = export(Symbolic(), x)
    verify.fact("the symbolic node", nodes_of(model), [f"{DOMAIN}:CustomGelu"])
    verify.floats("the symbolic node", run(model, x), lesson32.gelu_cpu(x.numpy()), ATOL, RTOL)
    for name, module in (("PyTorch", torch), ("onnxscript", onnxscript)):
        record.row(name, "version", module.__version__)
    print(f"PyTorch {torch.__version__}, onnxscript {onnxscript.__version__}: ONNX Runtime agrees with PyTorch")
    return verify.finish("export")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())

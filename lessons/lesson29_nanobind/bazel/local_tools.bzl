"""What this machine has: a repository @tools with links to Python's headers, nanobind's sources and the lesson's, and their places as constants.

PYTHON names a Python that has nanobind (python3 otherwise), CUDACXX an nvcc (nvcc of the PATH otherwise), CUDAARCHS=75-virtual the GPUs."""

_ASK = """
import nanobind, sysconfig
print(sysconfig.get_path("include")); print(nanobind.__file__.rsplit("/", 1)[0]); print(sysconfig.get_config_var("EXT_SUFFIX"))
python = "cp" + sysconfig.get_python_version().replace(".", "")
print(python + "-" + python + "-linux_x86_64")
"""

def _said_by(ctx, command):
    told = ctx.execute(command)
    if told.return_code:
        fail("%s says: %s" % (command[0], told.stderr))
    return told.stdout.strip().split("\n")

def _program(ctx, variable, name):
    found = ctx.os.environ.get(variable) or ctx.which(name)
    if not found:
        fail("there is no %s in the PATH; %s=/path/to/%s names one" % (name, variable, name))
    return str(found)

# As CMake has it: 75-virtual is PTX for compute capability 7.5, 90-real machine code for 9.0.
def _architectures(words):
    flags = []
    for word in words.split(";"):
        number, _, kind = word.partition("-")
        code = "compute_" if kind == "virtual" else "sm_"
        flags += ["-gencode", "arch=compute_%s,code=%s%s" % (number, code, number)]
    return flags

def _local_tools_impl(ctx):
    python, nvcc, compiler = _program(ctx, "PYTHON", "python3"), _program(ctx, "CUDACXX", "nvcc"), _program(ctx, "CXX", "g++")
    headers, nanobind, suffix, tag = _said_by(ctx, [python, "-I", "-c", _ASK])
    lesson = ctx.path(Label("//:BUILD.bazel")).dirname.dirname
    ctx.symlink(headers, "python")
    ctx.symlink(nanobind, "nanobind")
    ctx.symlink(str(lesson) + "/package", "package")
    ctx.symlink(str(lesson.dirname) + "/lesson28_pybind11/package/src", "kernels")
    ctx.file("BUILD.bazel", """
package(default_visibility = ["//visibility:public"])
exports_files(["nanobind/src/nb_combined.cpp", "kernels/gelu.cu", "package/src/binding.cpp", "package/gelu_nanobind/__init__.py"])
filegroup(name = "headers", srcs = glob(["nanobind/include/**", "nanobind/ext/**", "nanobind/src/**"], exclude = ["nanobind/src/nb_combined.cpp"]))
filegroup(name = "kernel_headers", srcs = glob(["kernels/*.h"]))
""")
    ctx.file("empty.cu", "")
    toolkit = _said_by(ctx, ["sh", "-c", "\"$0\" --dryrun -c empty.cu 2>&1 | sed -n 's/^#[$] TOP=//p'", nvcc])[0] # what nvcc takes for its own
    constants = {
        "NVCC": nvcc,
        "CXX": compiler,
        "PYTHON": python,
        "SUFFIX": suffix,
        "TAG": tag,
        "CUDA": ctx.os.environ.get("CUDA_HOME") or toolkit,
        "CUDA_FLAGS": _architectures(ctx.os.environ.get("CUDAARCHS") or "75-virtual"),
        "PYTHON_HEADERS": headers,
        "NANOBIND": nanobind,
    }
    ctx.file("tools.bzl", "\n".join(["%s = %r" % (name, value) for name, value in constants.items()]))

local_tools = repository_rule(implementation = _local_tools_impl, environ = ["PYTHON", "CUDACXX", "CUDA_HOME", "CXX", "CUDAARCHS", "PATH"], local = True)

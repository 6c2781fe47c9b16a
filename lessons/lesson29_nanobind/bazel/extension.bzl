"""What MODULE.bazel asks for: the repository that WORKSPACE makes by a call."""

load("//:local_tools.bzl", "local_tools")

def _tools_impl(_):
    local_tools(name = "tools")

tools_extension = module_extension(implementation = _tools_impl)

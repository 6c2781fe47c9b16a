"""Rules for a module of Python with kernels: cuda_library, nanobind_extension and build_wheel. Nothing is fetched: compilers, Python and
nanobind are those of this machine (local_tools.bzl)."""

# ---------------------------------------------------------------- bazel build --//:device_debug ...

FlagInfo = provider(doc = "A flag of the command line.", fields = ["value"])

def _flag_impl(ctx):
    return [FlagInfo(value = ctx.build_setting_value)]

bool_flag = rule(implementation = _flag_impl, build_setting = config.bool(flag = True))

# ---------------------------------------------------------------- the toolchain: who compiles device code, and how

def _cuda_toolchain_impl(ctx):
    # -G: device code that a debugger can step through, without optimization.
    debug = ctx.attr.device_debug[FlagInfo].value
    return [platform_common.ToolchainInfo(nvcc = ctx.attr.nvcc, flags = ctx.attr.flags + (["-G"] if debug else ["-O3", "-lineinfo"]))]

cuda_toolchain = rule(
    implementation = _cuda_toolchain_impl,
    attrs = {
        "device_debug": attr.label(mandatory = True, providers = [FlagInfo]),
        "flags": attr.string_list(),
        "nvcc": attr.string(mandatory = True),
    },
)

# ---------------------------------------------------------------- device code

ObjectsInfo = provider(doc = "What a module is linked of.", fields = ["objects", "headers"])

def _cuda_library_impl(ctx):
    cuda = ctx.toolchains["//:toolchain_type"]
    objects = []
    for source in ctx.files.srcs:
        made = ctx.actions.declare_file("{}.{}.o".format(ctx.label.name, source.basename))
        ctx.actions.run(
            executable = cuda.nvcc,
            arguments = ["-std=c++17", "-Xcompiler", "-fPIC"] + cuda.flags + ["-c", source.path, "-o", made.path],
            inputs = ctx.files.srcs + ctx.files.hdrs,
            outputs = [made],
            mnemonic = "CudaCompile",
            use_default_shell_env = True,
        )
        objects.append(made)
    return [DefaultInfo(files = depset(objects)), ObjectsInfo(objects = objects, headers = ctx.files.hdrs)]

cuda_library = rule(
    implementation = _cuda_library_impl,
    attrs = {"hdrs": attr.label_list(allow_files = True), "srcs": attr.label_list(allow_files = [".cu"])},
    toolchains = ["//:toolchain_type"],
)

# ---------------------------------------------------------------- the module

def _nanobind_extension_impl(ctx):
    headers, objects, folders = list(ctx.files.headers), [], {}
    for dep in ctx.attr.deps:
        headers += dep[ObjectsInfo].headers
        objects += dep[ObjectsInfo].objects
        folders.update({file.dirname: None for file in dep[ObjectsInfo].headers})
    flags = ctx.attr.copts + ["-I" + folder for folder in folders]

    # nanobind's own code is one file more; Python code that looks into objects breaks the rule of strict aliasing.
    sources = [(file, []) for file in ctx.files.srcs] + [(ctx.file.nanobind, ["-DNB_BUILD", "-fno-strict-aliasing"])]
    for source, more in sources:
        made = ctx.actions.declare_file("{}.{}.o".format(ctx.label.name, source.basename))
        ctx.actions.run(
            executable = ctx.attr.compiler,
            arguments = ["-std=c++17", "-Os", "-DNDEBUG", "-fPIC", "-fvisibility=hidden"] + flags + more + ["-c", source.path, "-o", made.path],
            inputs = ctx.files.srcs + [ctx.file.nanobind] + headers,
            outputs = [made],
            mnemonic = "NanobindCompile",
            use_default_shell_env = True,
        )
        objects.append(made)
    module = ctx.actions.declare_file(ctx.label.name + ctx.attr.suffix)
    ctx.actions.run(
        executable = ctx.attr.compiler,
        arguments = ["-shared", "-Wl,-s"] + [file.path for file in objects] + ctx.attr.linkopts + ["-o", module.path],
        inputs = objects,
        outputs = [module],
        mnemonic = "NanobindLink",
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([module]))]

nanobind_extension = rule(
    implementation = _nanobind_extension_impl,
    attrs = {
        "compiler": attr.string(mandatory = True),
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [ObjectsInfo]),
        "headers": attr.label_list(allow_files = True),
        "linkopts": attr.string_list(),
        "nanobind": attr.label(allow_single_file = [".cpp"], mandatory = True),
        "srcs": attr.label_list(allow_files = [".cpp"]),
        "suffix": attr.string(mandatory = True),
    },
)

# ---------------------------------------------------------------- the wheel

def _build_wheel_impl(ctx):
    wheel = ctx.actions.declare_file("{}-{}-{}.whl".format(ctx.attr.package, ctx.attr.version, ctx.attr.tag))
    ctx.actions.run(
        executable = ctx.attr.python,
        arguments = ["-I", ctx.file.tool.path, wheel.path, ctx.attr.package, ctx.attr.version, ctx.attr.tag] + [file.path for file in ctx.files.srcs],
        inputs = ctx.files.srcs + [ctx.file.tool],
        outputs = [wheel],
        mnemonic = "Wheel",
    )
    return [DefaultInfo(files = depset([wheel]))]

build_wheel = rule(
    implementation = _build_wheel_impl,
    attrs = {
        "package": attr.string(mandatory = True),
        "python": attr.string(mandatory = True),
        "srcs": attr.label_list(allow_files = True),
        "tag": attr.string(mandatory = True),
        "tool": attr.label(allow_single_file = True, default = "//:wheel.py"),
        "version": attr.string(mandatory = True),
    },
)

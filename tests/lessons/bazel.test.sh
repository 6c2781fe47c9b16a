#!/bin/sh
# Lesson 29's Bazel variant builds the wheel that CMake builds, and -G comes through its toolchain. Where there is a bazel in the PATH (Debian: apt-get
# install bazel-bootstrap bazel-rules-java bazel-rules-proto). Nothing is fetched: rules_cc, which Bazel before 8 wants for its own Java
# toolchains, is a stub here.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
. tools/messages.sh
. tools/actions/backend.sh
name="lesson 29 with Bazel"
if ! command -v bazel >/dev/null; then
  skip "$name" "there is no bazel in the PATH"
  exit
fi
case $PWD in *' '*)
  skip "$name" "Bazel does not work in a folder with a space in its name"
  exit
  ;;
esac
need_python "$name" 29
[ -n "$GPU_NAME" ] || export BACKEND=cpu
choose_backend
work=$PWD/build/tests/bazel
rules=/usr/share/bazel/rules
rm -rf "$work/installed"
mkdir -p "$work/rules_cc/cc"
touch "$work/rules_cc/WORKSPACE" "$work/rules_cc/BUILD" "$work/rules_cc/cc/BUILD"
for rule in cc_library cc_binary cc_test cc_import cc_proto_library cc_toolchain cc_toolchain_suite fdo_profile fdo_prefetch_hints objc_library; do
  echo "$rule = native.$rule"
done >"$work/rules_cc/cc/defs.bzl"

# Bazel's server would stay behind: --batch.
run_bazel() {
  (
    cd lessons/lesson29_nanobind/bazel
    PYTHON=$(cd ../../..; sh tools/python/environment.sh 29) CUDACXX=$(command -v "$NVCC") CUDAARCHS=75-virtual
    export PYTHON CUDACXX CUDAARCHS
    set -- bazel --batch --output_user_root="$work/output" build --symlink_prefix="$work/" --jobs=2 --color=no --curses=no "$@"
    [ ! -d "$rules/java" ] || set -- "$@" --override_repository=rules_cc="$work/rules_cc" --override_repository=rules_java=$rules/java \
      --override_repository=rules_proto=$rules/proto
    timeout 900 "$@"
  )
}

capture run_bazel //:wheel
if printf '%s\n' "$output" | grep -qE 'Unknown host|Error downloading|Failed to fetch registry'; then
  skip "$name" "this Bazel fetches rules of its own, and there is no network"
  exit
fi
expect "$name: the wheel is built" 0 'gelu_nanobind-1.0-cp3'
[ "$status" = 0 ] || exit 1
python=$(sh tools/python/environment.sh 29)
capture "$python" -m pip install --quiet --no-deps --no-index --target "$work/installed" "$work"/bin/gelu_nanobind-1.0-*.whl
expect "$name: pip installs it" 0 ''
capture env PYTHONPATH="$work/installed" "$python" -c '
import gelu_nanobind, numpy
print("forward of 1:", gelu_nanobind.forward(numpy.ones(1000, "float32"))[999], "from", gelu_nanobind.__file__)'
expect "$name: its kernels compute" 0 'forward of 1: 0\.84134[0-9]* from .*build/tests/bazel/installed'

capture run_bazel --subcommands //:gelu
expect "$name: without the flag no -G" 0 ''
case $output in *' -G -c '*) no "$name: device code is for speed" "it has -G" ;; *) pass "$name: device code is for speed" ;; esac
capture run_bazel --subcommands --//:device_debug //:gelu
expect "$name: --//:device_debug gives nvcc -G, through the toolchain" 0 'nvcc.* -G -c .*gelu\.cu'
chmod -R u+w "$work/output" # Bazel leaves what it has made for nobody to write, so nobody could delete it

# Sourced by the suites, which run in the emulator's folder.

. tests/protocol.sh

# A setting made for a single run does not apply to the tests.
unset SIZE SEED OUT ARCH NVCCFLAGS MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES EMULATOR_TIER EMULATOR_CC

# Inside the workbook, builds go to its build/ and use the toolkit that it found. A copy of this folder alone has a build/ of its own.
workbook=''
[ ! -f ../tools/toolchain/configure.sh ] || workbook=..
build_root=${workbook:-.}/build

# Compiled kernels are kept with the build (README.md), not in the home of the user who runs the tests.
mkdir -p "$build_root/tests"
EMULATOR_CACHE=$(readlink -f "$build_root")/tests/kernels
export EMULATOR_CACHE

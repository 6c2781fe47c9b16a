#!/bin/sh
# headers.sh [PYTHON]: what the C++ compiler has to read for an operator, and how long that takes: lines behind the preprocessor, and seconds of a
# processor for a file that includes a header and has nothing else. Needs no GPU: the rows that it prints are headers.csv, and name no card.
set -eu
python=${1:-python3}
include=$("$python" -c 'import os, torch; print(os.path.join(os.path.dirname(torch.__file__), "include"))')
python_include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

row() { printf '%s,"%s",%s,%s,%s,,%s\n' "$1" "$2" "$3" "$4" "$5" "$(date -u +%Y-%m-%d)"; } # SECTION ROW COLUMN VALUE UNIT
echo section,row,column,value,unit,card,date
row "headers machine" PyTorch version "$("$python" -c 'import torch; print(torch.__version__)')" ''
row "headers machine" GCC version "$("${CXX:-c++}" -dumpfullversion)" ''

# `times` would count the shell, too: the compiler runs in a Python that asks for its children.
measure() { # NAME HEADERS...
  name=$1
  shift
  for header; do echo "#include <$header>"; done >"$work/one.cpp"
  "$python" - "${CXX:-c++}" -std=c++20 -O2 -fPIC "-I$include" "-I$include/torch/csrc/api/include" "-I$python_include" "$work/one.cpp" >"$work/measured" <<'END'
import resource, subprocess, sys
command = sys.argv[1:]
lines = subprocess.run([*command, "-E", "-P"], check=True, capture_output=True).stdout.count(b"\n")
seconds = []
for _ in range(3):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "-c", "-o", "/dev/null"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
print(lines, f"{min(seconds):.1f}")
END
  read -r lines seconds <"$work/measured"
  row headers "$name" lines "$lines" ''
  row headers "$name" s "$seconds" s
}
measure torch/extension.h torch/extension.h
measure torch/library.h torch/library.h
measure "torch/library.h, ATen/Dispatch.h, ATen/ops/empty.h" torch/library.h ATen/Dispatch.h ATen/ops/empty.h
measure "torch/csrc/stable/library.h, tensor.h, ops.h" torch/csrc/stable/library.h torch/csrc/stable/tensor.h torch/csrc/stable/ops.h

#!/bin/sh
# What lesson 32 declares of ONNX Runtime's interface is what ONNX Runtime declares: places, sizes and numbers, by the real header, where one is
# installed (ort.h has the places; CPATH names another). Where none is, the interface of the installed ONNX Runtime is called, which the lesson's tests do.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch
lesson=lessons/lesson32_onnxruntime
name="lesson 32's declarations are those of ONNX Runtime's header"

# Without the include of the declarations of ours: what ort.h finds elsewhere.
grep -v 'include "ort_interface.h"' $lesson/ort.h >"$scratch/found.h"
printf '#include "found.h"\nint main() { return sizeof(OrtApi) == 0; }\n' >"$scratch/found.cpp"
capture "${HOST_COMPILER:-g++}" -std=c++17 -w -c "$scratch/found.cpp" -o "$scratch/found.o"
if [ "$status" != 0 ]; then
  skip "$name" "there is no onnxruntime_c_api.h (Debian 13: libonnxruntime-dev)"
  exit
fi

# Both, one of them in a namespace; the members' names are taken from ours.
members() { # STRUCT
  sed -n "/^typedef struct $1 {/,/^} $1;/p" $lesson/ort_interface.h | sed -n 's/.*(\*\([A-Za-z_0-9]*\))(.*/\1/p'
}
{
  echo '#include "found.h"'
  echo '#include <stddef.h>'
  echo '#include <stdint.h>'
  echo 'namespace ours {'
  sed '/#pragma once/d; /#include/d' $lesson/ort_interface.h
  echo '}'
  for struct in OrtApi OrtApiBase OrtCustomOp; do
    members $struct | while IFS= read -r member; do
      echo "static_assert(offsetof(ours::$struct, $member) == offsetof($struct, $member), \"$struct.$member\");"
    done
  done
  grep -oE '\b(ORT_[A-Z_]+|ONNX_TENSOR_[A-Z0-9_]+|INPUT_OUTPUT_[A-Z]+|OrtMemType[A-Z][A-Za-z]+)\b' $lesson/ort_interface.h | sort -u |
    while IFS= read -r constant; do
      echo "static_assert((int)ours::$constant == (int)$constant, \"$constant\");"
    done
  echo 'int main() { return 0; }'
} >"$scratch/both.cpp"
capture "${HOST_COMPILER:-g++}" -std=c++17 -w "$scratch/both.cpp" -o "$scratch/both"
expect "$name" 0 ''
if [ "$(grep -c static_assert "$scratch/both.cpp")" -lt 50 ]; then
  no "$name" "only $(grep -c static_assert "$scratch/both.cpp") of its members were found"
fi

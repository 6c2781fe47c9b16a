#!/bin/sh
# steps.sh [OPTIONS OF NVCC...]: the programs that nvcc calls for walk.cu, in their order, each with the kinds of files that go in and come out:
# from `nvcc --dryrun`, which prints the commands and executes none.
set -eu
cd "$(dirname "$0")/../../.."
. build/configuration
[ "$#" != 0 ] || set -- -gencode arch=compute_80,code=[sm_80,compute_80] -c

"$NVCC" --dryrun "$@" lessons/lesson23_nvcc/reading/walk.cu -o walk.o 2>&1 | sed -n 's/^#\$ //p' | awk '
  # A path without its folder and without the part that is different each time.
  function short(path) { gsub(/"/, "", path); sub(/^.*[\/=,]/, "", path); sub(/^tmpxft_[0-9a-f]+_[0-9a-f]+-[0-9]+_/, "", path); return path }
  function is_file(word) { return word ~ /\.(cu|ii|cpp|c|ptx|cubin|fatbin|o|gpu|stub|so|cudafe1)"?$/ || word ~ /\.fatbin\.c"?$/ }
  # A blank between quotes parts no words: folders may have some.
  function joined(line, out, quoted) {
    while (match(line, /"[^"]*"/)) {
      quoted = substr(line, RSTART, RLENGTH)
      gsub(/ /, "_", quoted)
      out = out substr(line, 1, RSTART - 1) quoted
      line = substr(line, RSTART + RLENGTH)
    }
    return out line
  }
  $1 ~ /^[A-Za-z_]+=/ || $1 == "rm" { next }
  { $0 = joined($0) }
  {
    program = $1; gsub(/"/, "", program); sub(/.*\//, "", program)
    if (program ~ /^(gcc|g\+\+|cc|c\+\+|clang.*)/) program = / -E /  ? "preprocessor" : / -c / ? "C++ compiler" : "linker"
    into = ""; from = ""; seen = " "
    for (k = 2; k <= NF; k++) {
      if ($k == "-o" || $k == "--gen_c_file_name" || $k ~ /^--embedded-fatbin=/) {
        name = $k ~ /=/ ? short($k) : short($(++k))
        into = into (into == "" ? "" : ", ") name
        seen = seen name " "
      } else if ($k ~ /^--(stub_file_name|gen_device_file_name|module_id_file_name|orig_src_path_name|orig_src_file_name|include_file_name)$/ || $k == "-include") k++
      else if (is_file($k)) {
        name = short($k)
        if (index(seen, " " name " ") == 0) { from = from (from == "" ? "" : ", ") name; seen = seen name " " }
      }
    }
    arch = match($0, /-arch[ =](sm|compute)_[0-9]+/) ? substr($0, RSTART + 6, RLENGTH - 6) : match($0, /-D__CUDA_ARCH__=[0-9]+/) && program == "preprocessor" ? "__CUDA_ARCH__ = " substr($0, RSTART + 16, RLENGTH - 16) : ""
    printf "%-13s %-20s %s -> %s\n", program, arch, from, into
  }'

#!/bin/sh
# Records what the programs print on a GPU, for programs.test.sh to compare the emulator with.
#
#   record.sh build FOLDER         compiles them; where nvcc is, with or without a GPU
#   record.sh run FOLDER           runs them on the GPU of this machine and writes h200.txt
#   record.sh run FOLDER NAME...   runs these again, and keeps what is recorded of the others
#
# The machine code is made from the PTX that the emulator executes: compute_75 or what a program asks for.
set -eu
command=${1:-} folder=${2:-}
case $command in build | run) ;; *) sed -n '2,8s/^# \{0,1\}//p' "$0" && exit 2 ;; esac
here=$(cd "$(dirname "$0")" && pwd)

build_one() { # SOURCE
  name=$(basename "$1" .cu)
  architecture=$(sed -n 's|^// arch: *sm_||p' "$1" | head -n 1)
  case $architecture in *a) machine=$architecture ;; *) machine=90 ;; esac
  sh "$here/build.sh" "$1" "$folder/$name" -O3 -lineinfo -gencode "arch=compute_${architecture:-75},code=sm_$machine"
}

if [ "$command" = build ]; then
  export NVCC="${NVCC:-nvcc}"
  mkdir -p "$folder"
  if [ -n "${3:-}" ]; then
    build_one "$3"
  else
    ls "$here"/*.cu | xargs -P "$(nproc)" -n 1 sh "$0" build "$folder"
  fi
  exit
fi

shift 2
recorded=$here/h200.txt
before=$folder/before.txt
touch "$recorded"
cp "$recorded" "$before"
echo "# What the programs print on a GPU; tests/programs/record.sh makes this." >"$recorded"
echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1), $(date -u +%Y-%m-%d)" >>"$recorded"
for source in "$here"/*.cu; do
  name=$(basename "$source" .cu)
  echo "#### $name" >>"$recorded"
  case " $* " in
  *" $name "* | '  ') ;;
  *)
    awk -v name="$name" '/^#### / { on = $2 == name; next } on' "$before" >>"$recorded"
    continue
    ;;
  esac
  status=0
  timeout 60 "$folder/$name" >"$folder/$name.out" 2>"$folder/$name.err" </dev/null || status=$?
  cat "$folder/$name.out" >>"$recorded"
  if [ "$status" != 0 ]; then
    echo "$name: ended with status $status" >&2
    grep '^not ok' "$folder/$name.out" >&2 || true
    head -n 20 "$folder/$name.err" >&2
  fi
done

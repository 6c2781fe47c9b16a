#!/bin/sh
# gencode.sh NVCC ARCHITECTURE...: prints nvcc's -gencode options.
#
#   sm_90 sm_100   SASS for both, and the PTX of the newest, which later GPUs and the emulator can translate
#   sm_80 sm_90a   SASS for both, and PTX of either: that of sm_90a is for this GPU alone, later ones translate the other
#   compute_75     PTX alone
set -eu
. "$(dirname "$0")/../messages.sh"

nvcc=$1
shift
known=" $("$nvcc" --list-gpu-arch | tr '\n' ' ') "
virtual='' # of the last architecture
later=''   # the last real one whose PTX later GPUs can translate

for word in "$@"; do
  number=${word#*_}
  case $word in
  sm_[0-9]* | compute_[0-9]*) ;;
  *) fail "ARCH=$word: an architecture is sm_90 (machine code and PTX) or compute_75 (PTX alone)." ;;
  esac
  case $known in
  *" compute_$number "* | *" compute_${number%[af]} "*) ;;
  *)
    # A GPU newer than the toolkit runs the newest PTX that the toolkit can make.
    newest=$(echo "$known" | tr ' ' '\n' | sed -n 's/^compute_\([0-9]*\)$/\1/p' | sort -n | tail -n 1)
    [ "${number%[af]}" -gt "$newest" ] || fail "$word: this toolkit knows$known"
    word=compute_$newest number=$newest
    ;;
  esac
  case $word in
  sm_*[af]) printf '%s' "-gencode arch=compute_$number,code=sm_$number " ;;
  sm_*)
    printf '%s' "-gencode arch=compute_$number,code=sm_$number "
    later=$number
    ;;
  esac
  virtual=$number
done
case $virtual in
*[af]) [ -z "$later" ] || printf '%s' "-gencode arch=compute_$later,code=compute_$later " ;;
esac
printf '%s\n' "-gencode arch=compute_$virtual,code=compute_$virtual"

#!/bin/sh
# The help on one screen of 80 columns and 24 lines.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/folders.sh

# The lessons' numbers, in one line however many there are: 01-03 05 07.
lessons=$(lesson_folders | folder_numbers | awk '
  function close_range() { if (last != "") printf "%s%s ", first, last == first ? "" : "-" last }
  $1 != last + 1 || last == "" { close_range(); first = $1 }
  { last = $1 }
  END { close_range() }')
further=$(further_folders | folder_numbers | tr '\n' ' ')
cat <<END
CUDA C workbook: write kernels, run them on a GPU or on the emulator.

  make lesson03            build it, and say what to do next
  make lesson03 run        build, run, verify on the CPU (SIZE= SEED= V=)
  make lesson03 test       its sizes, its exercise, its known mistakes
  make lesson03 sanitize   its races, barriers, memory never written (TOOL=)
  make lesson03 profile    what it asks of a GPU, line by line (KERNEL= BASE=)
  make lesson03 view       its memory accesses as pictures (LINE= KERNEL= OUT=)
  make lesson03 ptx|sass   what the compiler made of it

  make exercise03          grade your lessons/lesson03_*/exercise.cu
  make exercise03 profile  look at it (or run, view, sanitize, ptx, sass)
  make watch               the same each time you save (make exercise03 watch)
  make hint03              a nudge, then the idea, then code (N=2, TODO=4)
  make exercise03 solution shows it once yours passes (FORCE=1: now)
  make exercise03 reset    start again (yours is kept as a backup)
  make progress            what has passed (CHECK=1 grades it again)
  make grade student-copy  for a class: TEACHING.md (OUT= STUDENT= FILE=)
  make lab                 the lessons as notebooks, in JupyterLab
  make notebooks  execute them   make doctor  this machine  make new format
  make test  check all  make bench  time the emulator  make clean  start clean
Variables: BACKEND=auto|gpu|cpu TIMEOUT=s ARCH=sm_90 NVCC= NVCCFLAGS= NO_COLOR=
END
echo "Lessons: ${lessons}${further:+and exercises $further}(see README.md)"

#!/bin/sh
# The whole program of lesson 01's page, typed from it, is compiled and run by the page's own two lines, and prints what stands below them.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
page=lessons/lesson01_threads/README.md

# Blocks of code below a marker are pieces of lesson01.cu.
awk '/^```/ { open = !open && $0 == "```cuda" && before !~ /^<!-- code:/; before = $0; next } open { print } { before = $0 }' "$page" >"$scratch/hello.cu"
expected=$(sed -n '/^nvcc hello\.cu/{n;p;}' "$page")
lines=$(wc -l <"$scratch/hello.cu")
if [ "$lines" -ge 20 ] && [ "$lines" -le 40 ]; then
  pass "$page has a whole program, of a few lines"
else
  no "$page has a whole program, of a few lines" "it has $lines"
fi
root=$PWD
capture sh -c 'cd "$1" && . "$2/build/env" && nvcc hello.cu && ./a.out' sh "$scratch" "$root"
if [ "$status" = 0 ] && [ -n "$expected" ] && [ "$output" = "$expected" ]; then
  pass "that program prints what the page says"
else
  no "that program prints what the page says" "status $status, expected: $expected" && show_output
fi

# Without a GPU nvcc asks the emulator's driver which one to compile for, and must not hear of any: machine code alone would not run.
. build/configuration
if [ -n "$GPU_NAME" ]; then
  skip "nvcc -arch=native in that shell" "there is a GPU"
else
  capture sh -c 'cd "$1" && . "$2/build/env" && nvcc -arch=native hello.cu 2>/dev/null && ./a.out' sh "$scratch" "$root"
  if [ "$status" = 0 ] && [ "$output" = "$expected" ]; then
    pass "nvcc -arch=native in that shell"
  else
    no "nvcc -arch=native in that shell" "status $status, expected: $expected" && show_output
  fi
fi

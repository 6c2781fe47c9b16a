#!/bin/sh
# build_tool.sh NAME: builds build/tools/NAME from tools/*/NAME.c, unless it is up to date.
set -eu
cd "$(dirname "$0")/../.."
program=build/tools/$1 source=$(echo tools/*/"$1".c)
if [ ! -x "$program" ] || [ "$source" -nt "$program" ]; then
  mkdir -p build/tools
  "${CC:-cc}" -std=c11 -O1 -Wall -Wextra "$source" -o "$program.$$"
  mv "$program.$$" "$program"
fi

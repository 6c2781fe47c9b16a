#!/bin/sh
# build_tool.sh NAME: builds build/tools/NAME, from tools/NAME/*.c or else from tools/*/NAME.c, unless it is up to date.
set -eu
cd "$(dirname "$0")/../.."
program=build/tools/$1
if [ -d "tools/$1" ]; then
  sources=$(echo "tools/$1"/*.c) headers=$(echo "tools/$1"/*.h)
else
  sources=$(echo tools/*/"$1".c)
  headers=${sources%.c}.h
fi
for source in $sources $headers; do
  [ -f "$source" ] || continue
  if [ ! -x "$program" ] || [ "$source" -nt "$program" ]; then
    mkdir -p build/tools
    "${CC:-cc}" -std=c11 -O1 -Wall -Wextra $sources -o "$program.$$"
    mv "$program.$$" "$program"
    break
  fi
done

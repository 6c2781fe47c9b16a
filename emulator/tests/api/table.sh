#!/bin/sh
# Prints README.md of this folder: every function of NVIDIA's libcudart.so.13 (functions.txt), whether the emulator's
# library exports it and these tests call it, and whether those tests were compared with an H200 (compared.txt).
#   tests/api/table.sh LIBRARY [--update]
# functions.txt is made by:
#   nm -D --defined-only libcudart.so.13 | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u
set -eu
library=${1:?the path of a libcudart.so.13 that the emulator is}
case $library in /*) ;; *) library=$PWD/$library ;; esac
cd "$(dirname "$0")/../.."
export LC_ALL=C
. tests/api/checksum.sh

# The sources whose answers were those of an H200 and that have not changed since: "source date".
unchanged() {
  while read -r source hash date rest; do
    case $source in '#'* | '') continue ;; esac
    [ "$(checksum "tests/api/$source")" = "$hash" ] && echo "$source $date"
  done <tests/api/compared.txt
}

# "function source" for each call in a test.
calls() {
  for source in tests/api/*.cu tests/api/api_test.h; do
    grep -oE '\b(__)?cuda[A-Za-z0-9_]+' "$source" | sort -u | sed "s|\$| $(basename "$source")|"
  done
}

make_table() {
  {
    unchanged | sed 's/^/compared /'
    nm -D --defined-only "$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print "exported", $3 }'
    sed -n 's/^X(\([A-Za-z0-9_]*\)).*/missing \1/p' api/unsupported.c
    calls | sed 's/^/call /'
    sed 's/^/function /' tests/api/functions.txt
  } | awk '
    $1 == "compared" { date[$2] = $3 }
    $1 == "exported" { exported[$2] = 1 }
    $1 == "missing" { missing[$2] = 1 }
    $1 == "call" { tested[$2] = 1; if ($3 in date) compared[$2] = date[$3] }
    $1 == "function" { known[$2] = 1; order[++n] = $2 }
    END {
        for (i = 1; i <= n; i++) {
            f = order[i]
            if (f ~ /_pt[ds][sz]$/)
                continue
            rows++
            twin = ((f "_ptsz") in known) ? f "_ptsz" : ((f "_ptds") in known) ? f "_ptds" : ""
            remark = ""
            if (f ~ /^__cuda/)
                remark = "called by what nvcc generates"
            if (f in missing)
                remark = "an error that names it"
            if (twin != "" && !(f in missing))
                remark = remark (remark == "" ? "" : "; ") (twin in exported ? "with " : "without ") "its per-thread twin"
            e += f in exported; m += f in missing; t += f in tested; c += f in compared
            lines = lines sprintf("| `%s` | %s | %s | %s | %s |\n", f, f in exported ? "yes" : "no", \
                f in missing ? "no" : f in tested ? "yes" : "no", f in compared ? compared[f] : "", remark)
        }
        printf "%d functions: %d exported, %d of them as an error that names it; %d tested here, %d compared.\n\n", \
            rows, e, m, t, c
        print "| function | exported | tested here | compared with an H200 | remarks |"
        print "|---|---|---|---|---|"
        printf "%s", lines
    }'
}

page() {
  cat <<'END'
# The runtime API, function by function

Made by `table.sh`; do not edit. "Compared" means: the test that calls the function gave the same answers on an H200 with
NVIDIA's library on that day, and has not changed since (`compare.sh` runs on a machine with such a GPU and writes
`compared.txt`). Functions that nvcc calls on behalf of `<<< >>>` and of variables are used by every program. The twins
for `--default-stream per-thread` end in `_ptsz` or `_ptds`; `per_thread.cu` tests how they choose their stream.

END
  make_table
}

if [ "${2:-}" = --update ]; then
  page >tests/api/README.md.new
  mv tests/api/README.md.new tests/api/README.md
else
  page
fi

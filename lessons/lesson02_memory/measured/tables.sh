#!/bin/sh
# tables.sh: prints the page's H200 table and words of its text ("~ "), made from h200.txt and managed.txt (which record.sh
# printed on that machine).
# tests/lessons/tables.test.sh looks whether the page has its lines.
set -eu
cd "$(dirname "$0")"

awk '
  /^--- / { section = $0; next }
  /^20[0-9][0-9]-/ { date = $0 }
  /^NVIDIA/ { machine = $0; sub(/,.*/, "", machine) }
  section ~ /SEED=2/ && /^scale1/ { printf "~ (%.1f GB/s in the run that followed\n", $4 }
  section ~ /who_reports/ && /cudaErrorIllegalAddress$/ { late = late (late ? ", " : "") ($1 == "launch" ? "a right launch" : "`" $1 "`") }
  section ~ /who_reports/ && /^cudaGetLastError/ { asked = $2 }
  section !~ /SEED=1/ { next }
  /^copy kernel/ {
    printf "| version | predict: GB/s | GB/s (%s, %s) | %% of copy |\n", machine, date
    printf "| copy kernel (within the device) | | %.0f | 100 |\n", $4
  }
  $1 ~ /^scale[1-6]$/ && NF == 6 {
    printf "| %s %s | | %.1f | %s |\n", $1, $2, $4, $6
    ms[$1] = $3
  }
  END {
    printf "~ Pinned memory makes the trip %.1f times as fast\n", ms["scale1"] / ms["scale2"]
    printf "~ Version 6 takes %.0f %% of the time of version 3\n", 100 * ms["scale6"] / ms["scale3"]
    printf "~ reported it: %s.\n", late
    printf "~ alone said `%s`\n", asked
  }' h200.txt

awk '
  /^memcpy into x/ { into = $5 }
  /^memcpy, ordinary/ { ordinary = $4 }
  /^prefetch to the/ { sent += $6 }
  /^memcpy out of x/ { out = $6 }
  END {
    printf "~ into the managed array takes %.0f ms, where it takes %.0f ms into an ordinary one\n", into, ordinary
    printf "~ there and back takes %.0f ms, and `memcpy` out of them %.0f ms\n", sent, out
  }' managed.txt

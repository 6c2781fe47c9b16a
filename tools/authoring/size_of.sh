#!/bin/sh
# size_of.sh RECORD: prints the first size in a lesson's record (measured/h200.txt) as its headline names it: 2^27, or the number.
set -eu
awk '/^n = / {
  n = $3 + 0
  power = int(log(n) / log(2) + 0.5)
  if (2 ^ power == n) print "2^" power; else print n
  exit
}
/^M = / { gsub(/[^0-9 ]/, ""); print $1 " x " $2 " x " $3; exit }' "$1"

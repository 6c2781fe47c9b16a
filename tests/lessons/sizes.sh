#!/bin/sh
# sizes.sh LESSON [counted]: prints the values of SIZE that the tests give lesson LESSON (01, 02, ...), or the one at which its kernels are
# counted. A lesson whose work grows faster than SIZE (a matrix product: with the cube) has fewer of its own, in a line of its source:
#     // sizes: 0 1 31 33 100
# The last one is then the one that is counted.
set -eu
cd "$(dirname "$0")/../.."

own=$(cat lessons/lesson"$1"_*/lesson"$1".[cp][uy] | sed -n 's,^\(//\|#\) sizes: *\([0-9 ]*[0-9]\) *$,\2,p' | head -n 1)
case ${2:-}${own:+-own} in
counted-own) echo "${own##* }" ;;
counted) echo 10000 ;;
-own) echo "$own" ;;
*) echo 0 1 31 33 1000 1025 100003 ;;
esac

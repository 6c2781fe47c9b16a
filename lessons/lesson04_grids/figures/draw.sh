#!/bin/sh
# draw.sh: makes lesson 04's figures again, those that its programs and `view` draw on the emulator among them. tests/lessons/pictures.test.sh
# looks whether they are as they should be.
#     sh lessons/lesson04_grids/figures/draw.sh FOLDER        where the figures go
set -eu
cd "$(dirname "$0")/../../.."
here=lessons/lesson04_grids/figures
export BACKEND=cpu QUIET=1 SIZE=256
mkdir -p "$1"

for script in $here/*_figure.sh; do
  name=${script##*/}
  sh "$script" >"$1/${name%_figure.sh}.svg"
done
sh tools/compile/build.sh $here/pictures.cu "$1/pictures" -Ilessons/lesson04_grids
for name in blur mistakes; do sh tools/actions/run.sh "$1/pictures" $name >"$1/$name.svg"; done

# One store of versions 2, 3 and 4: `view` names its pictures after the line.
sh tools/compile/build.sh lessons/lesson04_grids/lesson04.cu "$1/lesson04"
for version in 2 3 4; do
  V=$version sh tools/actions/view.sh "$1/lesson04" >"$1/view.txt" 2>&1 || { cat "$1/view.txt" >&2 && exit 1; }
  cp "$(sed -n "s/^ *\(.*blur_kernel${version}_line[0-9]*_global_store\.svg\)$/\1/p" "$1/view.txt" | head -n 1)" "$1/store$version.svg"
done

#!/bin/sh
# draw.sh NAME > NAME.svg: draws one of the page's figures: residents, steps or flight. What fits, calculator.h says: pictures.cpp includes it.
set -eu
cd "$(dirname "$0")/../../.."
here=lessons/lesson21_occupancy/figures
tool=build/figures/lesson21

mkdir -p build/figures
"${CXX:-c++}" -std=c++17 -I. $here/pictures.cpp -o "$tool.$$"
"$tool.$$" "$1" || { rm -f "$tool.$$" && exit 1; }
rm -f "$tool.$$"

#!/bin/sh
# Lesson 04's pictures: its figures are what its kernels, its mistakes and `view` draw, and the two files that it writes are PNG files with the
# picture and its blur. A blur with a mistake is drawn with the mistake.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch
export BACKEND=cpu QUIET=1
folder=lessons/lesson04_grids

capture python3 tools/workbook figures 04 --programs --into "$scratch"
expect "lesson04's figures are drawn" 0 ''
for figure in "$folder"/figures/*.svg; do
  name=$(basename "$figure")
  if cmp -s "$scratch/$name" "$figure"; then
    pass "$figure is what is drawn"
  else
    no "$figure is what is drawn" "run: python3 tools/workbook figures 04 --programs"
  fi
done

# Somebody else's program reads the files: sizes, and how many shades of red there are in them.
read_png='
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
at, pixels = 8, b""
while at < len(data):
    length, kind = struct.unpack(">I4s", data[at : at + 8])
    content = data[at + 8 : at + 8 + length]
    assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + content)
    if kind == b"IHDR":
        width, height = struct.unpack(">II", content[:8])
    if kind == b"IDAT":
        pixels += content
    at += 12 + length
pixels = zlib.decompress(pixels)
assert len(pixels) == height * (3 * width + 1)
lines = [pixels[k * (3 * width + 1) + 1 : (k + 1) * (3 * width + 1)] for k in range(height)]
print(width, "x", height, "black:", sum(line[3 * x : 3 * x + 3] == b"\0\0\0" for line in lines for x in range(width)))
print("shades:", len({line[3 * x] for line in lines for x in range(width)}))'
cp build/figures/lesson04/lesson04 "$scratch/"
sh tools/actions/run.sh "$scratch/lesson04" --size 1 --version 2 >/dev/null
capture python3 -c "$read_png" "$scratch/lesson04_before.png"
expect "the picture before is a PNG file" 0 '^192 x 120 black: 0$'
before=$(printf '%s\n' "$output" | sed -n 's/^shades: //p')
capture python3 -c "$read_png" "$scratch/lesson04_after.png"
expect "so is the picture after" 0 '^192 x 120 black: 0$'
after=$(printf '%s\n' "$output" | sed -n 's/^shades: //p')
if [ "${after:-0}" -gt "$((2 * ${before:-0}))" ]; then
  pass "its edges are soft"
else
  no "its edges are soft" "before: ${before:-0} shades, after: ${after:-0}"
fi

sed 's/dim3 grid(ceil_div(s.width, BLOCK_X), ceil_div(s.height, BLOCK_Y), PLANES);/dim3 grid(1, 1, PLANES);/' $folder/lesson04.cu >"$scratch/wrong.cu"
sh tools/compile/build.sh "$scratch/wrong.cu" "$scratch/wrong" -I$folder
capture sh tools/actions/run.sh "$scratch/wrong" --size 100 --version 2
expect "a blur of one block is noticed" error '^FAIL'
capture python3 -c "$read_png" "$scratch/wrong_after.png"
expect "and its picture shows it" 0 "^192 x 120 black: $((192 * 120 - 32 * 8))\$"

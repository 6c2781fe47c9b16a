#!/bin/sh
# Lesson 25: each of the five causes that are planted in its program, and in its exercise as it is given, is among the first three lines of advice
# of the profile, with its line; and in the last repaired version none of them is. ncu's rules, as they are in the record of an H200, name the same
# causes among their first three lines. The page's table of both reports is what is counted.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch
export BACKEND=cpu QUIET=1
folder=$(ls -d lessons/lesson25_*)

sh tests/lessons/built.sh 25 "$scratch/lesson25" >"$scratch/log"
capture make exercise25 profile
expect "make exercise25 profile" 0 'The host'
capture make exercise25 profile BASE=last
expect "make exercise25 profile BASE=last" 0 '5 kernels made the same requests as before'
exercise=build/exercises/lesson25/exercise

# The first three lines of advice, each with what goes on in the next lines, as one.
advice() { # PROGRAM VARIABLE=VALUE...
  program=$1
  shift
  capture env "$@" sh tools/actions/profile.sh "$program"
  said=$(printf '%s\n' "$output" | awk '
    /^    [0-9]\. / { if (++count > 3) exit; line = 1 }
    /^       ->/ || /^$/ { line = 0 }
    line { sub(/^ +/, ""); text = text (/^[0-9]\. / && text ? "\n" : " ") $0 }
    END { print text }')
}
line_of() { # FILE FIRST-LINE-OF-THE-FUNCTION TEXT
  awk -v function_head="$2" -v wanted="$3" 'index($0, function_head) { inside = 1 } inside && index($0, wanted) { print NR; exit }' "$1"
}
finds() { # NAME PATTERN
  if printf '%s\n' "$said" | grep -Eq -- "$2"; then pass "$1"; else no "$1" "the first three lines of advice lack '$2'" && printf '%s\n' "$said" | sed 's/^/    | /'; fi
}
lesson() { # KERNEL TEXT-OF-THE-LINE PATTERN
  advice "$scratch/lesson25" V=1 KERNEL="$1"
  finds "lesson25/$1" "line $(line_of "$folder/lesson25.cu" "void $1(" "$2"): $3"
}
# The same cause is in each of these patterns' words among the first three lines of ncu's advice for the kernel, as rules.py orders them.
ncu_finds() { # KERNEL PATTERN...
  said=$(python3 -B "$folder/measured/rules.py" advice | awk -F '\t' -v kernel="$1" '$1 == kernel && ++count <= 3 { print $3 }')
  kernel=$1
  shift
  for pattern in "$@"; do finds "ncu/$kernel: $pattern" "$pattern"; done
}
exercise() {
  advice "$exercise" KERNEL="$1"
  finds "exercise25/$1" "line $(line_of "$folder/exercise.cu" "void $1(" "$2"): $3"
}

lesson scale_kernel1 'float v = x[' '32\.0 sectors per request, 4 would do'
lesson shape_kernel1 'if (i % CHANNELS % 2)' 'threads of one warp diverge at 100 %'
lesson turn_kernel1 'y[(size_t)channel' '32\.0 wavefronts per shared load, 1 would do'
lesson energy_kernel1 'float v = x[' 'too few bytes in flight'
advice "$scratch/lesson25" V=1
finds "lesson25/the host" 'the host waits for the device 32 times in a row \(cudaStreamSynchronize'

exercise center_kernel 'y[day * HOURS' '[0-9.]+ sectors per request'
exercise running_kernel 'sum += tile[lane]' '[0-9.]+ wavefronts per shared load, 1 would do'
exercise bend_kernel 'if (i % 2 == 0)' 'threads of one warp diverge at 100 %'
exercise peaks_kernel 'largest = fmaxf' 'too few bytes in flight'
advice "$exercise" NO_COLOR=1
finds "exercise25/the host" 'the host waits for the device [0-9]+ times in a row \(cudaStreamSynchronize'

# shape_kernel1's rule is cut off in the record, behind its estimate: bend_kernel has the same cause. The host's waits are no kernel's, so ncu has no
# rule for them. And where a cause is not planted, it is not named.
unused='only 4[.]0 of the 32 bytes' banks='shared (loads|stores) .*way bank conflict' split='divergent flow control .*active threads in a warp'
small='grid is too small to fill' starved='stalled waiting for a scoreboard dependency on a L1TEX'
ncu_finds scale_kernel1 "global loads .*$unused" "global stores .*$unused"
ncu_finds turn_kernel1 "$banks"
ncu_finds energy_kernel1 "$small" "$starved"
ncu_finds center_kernel "global loads .*$unused"
ncu_finds running_kernel "$banks"
ncu_finds bend_kernel "$split"
ncu_finds peaks_kernel "$small" "$starved"
others=$(python3 -B "$folder/measured/rules.py" advice | awk -F '\t' -v unused="global loads .*$unused" -v banks="$banks" -v split_up="$split" '
  ++count[$1] > 3 { next }
  $3 ~ unused && $1 !~ /^(scale|center)_/ || $3 ~ banks && $1 !~ /^(turn|running)_/ || $3 ~ split_up && $1 != "bend_kernel" { print $1 ": " $3 }')
if [ -z "$others" ]; then pass "ncu names no other cause of the five"; else no "ncu names no other cause of the five" "$others"; fi

# The page quotes the comparison of versions 1 and 2: each of these lines, but for the lines' numbers, is in what is printed.
capture env V=1 OUT="$scratch/v1.profile" sh tools/actions/profile.sh "$scratch/lesson25"
capture env V=2 BASE="$scratch/v1.profile" sh tools/actions/profile.sh "$scratch/lesson25"
printf '%s\n' "$output" | sed 's/^ *[0-9]* -> *[-0-9]*/ -/' | tr -s ' ' >"$scratch/compared"
sed -n '/^  all launches together/,/^```/p' "$folder/README.md" | sed '/^```/d' | tr -s ' ' >"$scratch/quoted"
missing=$(grep -vxFf "$scratch/compared" "$scratch/quoted" || true)
if [ "$(wc -l <"$scratch/quoted")" -ge 6 ] && [ -z "$missing" ]; then
  pass "lesson25's page quotes the comparison of versions 1 and 2"
else
  no "lesson25's page quotes the comparison of versions 1 and 2" "not printed: $missing" && show_output
fi

# With as many samples as fill a GPU: nothing is left of what was planted.
capture env V=6 SIZE=20000 sh tools/actions/profile.sh "$scratch/lesson25"
case $output in
*'The host'* | *'would do'* | *'bytes in flight'*) no "lesson25/version 6 has none of them" "it has" && show_output ;;
*'nothing stands out'*) pass "lesson25/version 6 has none of them" ;;
*) no "lesson25/version 6 has none of them" "there is no summary" && show_output ;;
esac

name="lesson25's page has both reports side by side"
if [ "$CUDA_VERSION" != 13.0 ] || [ "$GENCODE" != '-gencode arch=compute_75,code=compute_75' ]; then
  skip "$name" "it has the counts of CUDA 13.0's PTX for compute capability 7.5"
  exit
fi
env V=1 KERNEL=turn CSV=1 sh tools/actions/profile.sh "$scratch/lesson25" >"$scratch/profile.csv" 2>/dev/null
python3 -B "$folder/measured/side_by_side.py" "$scratch/profile.csv" >"$scratch/rows"
sed 's/<!--=[^>]*-->//g; s|<!--/-->||g' "$folder/README.md" >"$scratch/page"
missing=$(grep -vxFf "$scratch/page" "$scratch/rows" || true)
if [ "$(wc -l <"$scratch/rows")" -lt 15 ]; then
  no "$name" "side_by_side.py prints $(wc -l <"$scratch/rows") rows"
elif [ -z "$missing" ]; then
  pass "$name"
else
  no "$name" "these are missing:" && printf '%s\n' "$missing" | sed 's/^/    | /'
fi

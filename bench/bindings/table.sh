#!/bin/sh
# table.sh [LESSON...]: prints the rows of README.md's table of all bindings, of all lessons that have a measured/binding.py or of those named, made
# from the records that run.sh has printed: cpu.txt and, as soon as there is one, h200.txt. tests/lessons/tables.test.sh looks whether README.md has them.
set -eu
cd "$(dirname "$0")/../.."

# value RECORD NAME WORD: the number behind the word in the section of that name; of times of calls the median of all rounds.
value() {
  awk -v name="$2" -v word="$3" '
    /^--- / { section = substr($0, 5); sub(/, calls [0-9]+$/, "", section); next }
    section == name && index($0, word " ") == 1 { value[++n] = substr($0, length(word) + 1) + 0 }
    END {
      for (i = 1; i <= n; i++) for (k = i + 1; k <= n; k++) if (value[k] < value[i]) { t = value[i]; value[i] = value[k]; value[k] = t }
      if (n) print value[int((n + 1) / 2)]
    }' "$1"
}

# Of several files the first one counts.
size_of() { # RECORD NAME
  awk -v name="$2" '/^--- / { section = substr($0, 5) } section == name && $1 == "size" { print $2 / 1000; exit }' "$1"
}

# shown FORMAT NUMBER OTHERWISE
shown() { if [ -n "$2" ]; then printf "$1" "$2"; else printf %s "$3"; fi; }

for file in lessons/*/measured/binding.py; do
  lesson=${file%/measured/binding.py}
  short=${lesson##*/lesson}
  number=${short%%_*}
  name="$number ${short#*_}"
  [ $# = 0 ] || case " $* " in *" $number "*) ;; *) continue ;; esac
  cpu=bench/bindings/cpu.txt gpu=bench/bindings/h200.txt
  [ -f "$gpu" ] || gpu=/dev/null
  lines=$(value $cpu "$name" lines)
  if [ -z "$lines" ]; then
    lines='not measured yet' built='not measured yet' size='not measured yet' empty='not measured yet'
  else
    built=$(value $cpu "$name" build)
    built=$(shown '%.1f s' "$built" 'nothing')
    first=$(value $cpu "$name" first)
    [ -z "$first" ] || built="$built; at the first call $(shown '%.2f s' "$first" '')"
    size=$(size_of $cpu "$name")
    size=$(shown '%.0f KB' "$size" 'no file')
    empty=$(shown '%.3f µs' "$(value $cpu "$name" empty)" 'needs a GPU')
  fi
  printf '| %s, [lesson %s](%s/README.md) | %s | %s | %s | %s | %s | %s | %s |\n' "${short#*_}" "$number" "$lesson" "$lines" "$built" "$size" "$empty" \
    "$(shown '%.3f µs' "$(value $gpu "$name" empty)" 'not measured yet')" \
    "$(shown '%.1f µs' "$(value $gpu "$name" '1 KB')" 'not measured yet')" \
    "$(shown '%.0f µs' "$(value $gpu "$name" '64 MB')" 'not measured yet')"
done

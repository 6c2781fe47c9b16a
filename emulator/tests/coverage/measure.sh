# Sourced by coverage.test.sh and update.sh: asks ptxas, asks the emulator, makes the table. Expects build/configuration and
# build_emulator.sh.

coverage=tests/coverage
coverage_program=$plain_emulator/coverage

build_coverage() {
  conformance=tests/conformance
  link_test "$plain_emulator" "$coverage_program" "$coverage/coverage.c" "$coverage/compared.c" "$coverage/judged.c" \
    "$coverage/decoded.c" "$coverage/executed.c" "$coverage/grammar.c" "$coverage/results.c" "$coverage/statement.c" \
    "$coverage/trial.c" "$conformance/vectors.c" "$conformance/plan.c" "$conformance/values.c" "$conformance/kernel.c"
}

# The compiler's own ptxas, also where nvcc on the PATH is a script.
find_ptxas() {
  for folder in "$(dirname "$NVCC")" "$(dirname "$(readlink -f "$NVCC")")" "$TOOLKIT_LIB/../bin"; do
    if [ -x "$folder/ptxas" ]; then
      echo "$folder/ptxas"
      return 0
    fi
  done
  "$NVCC" --dryrun x.cu 2>&1 | sed -n 's/^#\$ _HERE_=//p' | sed 's|$|/ptxas|'
}

# Writes the numbers of the forms that ptxas rejects to FOLDER/rejected. What it cannot even parse ends its reading, so it is
# asked again without that.
ask_ptxas() { # FOLDER
  ptxas=$(find_ptxas)
  : >"$1/rejected"
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    "$coverage_program" ask "$coverage/forms.txt" "$1/rejected" >"$1/forms.ptx"
    "$ptxas" -arch=sm_90a -O0 -o /dev/null "$1/forms.ptx" >"$1/answer" 2>&1 || true
    listened=0
    "$coverage_program" listen "$coverage/forms.txt" "$1/answer" "$1/rejected" || listened=$?
    [ "$listened" = 1 ] || return "$listened"
  done
  echo "ptxas still stops at:"
  tail -n 3 "$1/answer"
  return 1
}

# What was recorded on an H200, unpacked in FOLDER; nothing where nobody has recorded.
unpack_records() { # FOLDER
  gzip -dc tests/conformance/vectors.bin.gz >"$1/vectors.bin"
  : >"$1/results.bin"
  [ ! -f "$coverage/results.bin.gz" ] || gzip -dc "$coverage/results.bin.gz" >"$1/results.bin"
}

# Prints the table; complaints go to the file complaints in FOLDER.
coverage_table() { # FOLDER
  unpack_records "$1"
  made=0
  "$coverage_program" table "$coverage/forms.txt" "$1/rejected" "$coverage/exclusions.txt" "$coverage/uncompared.txt" \
    "$1/vectors.bin" "$coverage/tensor.txt" "$1/results.bin" 2>"$1/complaints" || made=$?
  grep -v '^=====' "$1/complaints" >"$1/said" || true
  mv "$1/said" "$1/complaints"
  return "$made"
}

table_begin='<!-- written by tests/coverage/update.sh -->'
table_end='<!-- end -->'

committed_table() {
  sed -n "\|^$table_begin|,\|^$table_end|p" README.md | grep '^|'
}

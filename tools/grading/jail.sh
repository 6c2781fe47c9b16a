# Sourced by tools/grading/run: which jail, and the compiler in it.
#
# In: file, work, copy, grader, python, python_headers, packages, libraries, NANOBIND_OBJECT. Out: JAIL, the program, and JAIL_BACKEND, exported
# for the judge, which starts its runners in the same one.

# Whose file is it? What lies in this workbook is one's own, unless somebody grades others.
is_others() {
  case ${OTHERS:-} in 1) return 0 ;; 0) return 1 ;; esac
  case $(readlink -f "$file") in "$(pwd -P)"/*) return 1 ;; esac
}

choose_jail() {
  sh tools/compile/build_tool.sh jail
  sh tools/compile/build_tool.sh visible
  JAIL=$PWD/build/tools/jail
  reasons=$work/jail
  JAIL_BACKEND=$("$JAIL" --which 2>"$reasons") || fail "the jail for submissions does not work: $(cat "$reasons")"
  export JAIL JAIL_BACKEND
  broken=$(sed -n 's/^bubblewrap does not start: //p' "$reasons" | build/tools/visible 500)
  case $JAIL_BACKEND in
  bubblewrap) return ;;
  landlock) [ -z "$broken" ] || say "bubblewrap is installed and does not start ($broken); Landlock shuts in what is graded." ;;
  *) refuse_without_jail ;;
  esac
}

refuse_without_jail() {
  say "No jail works on this machine: $(paste -s -d ';' "$reasons" | sed 's/;/; /g')."
  if ! is_others; then
    say "Your own file is graded all the same, with your rights."
  elif [ "${UNSAFE:-}" = 1 ]; then
    warn "UNSAFE=1: somebody else's program gets your rights, and may read and change what you may."
  else
    fail "somebody else's file is not compiled and run here without a jail: it would have your rights." \
      "${broken:+"bubblewrap is installed and has to start, see SECURITY.md; or "}sudo apt-get install bubblewrap     (Debian, Ubuntu), or Linux 5.13 with Landlock" \
      "UNSAFE=1 grades it all the same."
  fi
}

# In: backend. NVIDIA's driver does not start in Landlock's jail (on an H100: cudaErrorOperatingSystem), so one's own file runs without a jail there.
leave_landlock_on_gpu() {
  [ "$backend-$JAIL_BACKEND" = gpu-landlock ] || return 0
  if is_others && [ "${UNSAFE:-}" != 1 ]; then
    fail "somebody else's file is not run on a GPU here: NVIDIA's driver does not start in Landlock's jail." \
      "BACKEND=cpu grades it on the emulator, or install bubblewrap: sudo apt-get install bubblewrap     (Debian, Ubuntu)" \
      "UNSAFE=1 runs it with your rights."
  fi
  say "NVIDIA's driver does not start in Landlock's jail: the file runs with your rights. Bubblewrap would shut it in (sudo apt-get install bubblewrap)."
  JAIL_BACKEND=none
}

# What the compiler needs of this machine, one a line. A compiler of one's own, as in ~/gcc-13/bin, comes with its folder, but not with all of a home.
compiler_views() {
  printf '%s\n' "$PWD/tools/compile" "$PWD/tools/toolchain" "$PWD/tools/python" "$PWD/tools/messages.sh" "$PWD/build/configuration" \
    "$PWD/common" "$PWD/emulator/emulator.h" "$PWD/.toolchain" "$work/submission" "$work/arch_of" "$PWD/${grader%/*}"/*.h "$TOOLKIT" "$TOOLKIT_LIB"
  for program in "$NVCC" "${NVCC_CCBIN:-${HOST_COMPILER:-g++}}"; do
    program=$(command -v "$program") || continue
    case $program in /*) ;; *) program=$PWD/$program ;; esac
    echo "$program"
    folder=$(readlink -f "$program")
    folder=${folder%/bin/*}
    case ${HOME:-/root}/.local in "$folder" | "$folder"/*) ;; *) echo "$folder" ;; esac
  done
  [ -n "${python:-}" ] || return 0
  printf '%s\n' "$libraries" "$python_headers" "$packages" ${NANOBIND_OBJECT:+"$NANOBIND_OBJECT"}
  "$python" -I tools/grading/python_views.py
}

# in_jail_compiler COMMAND...: of this machine it sees the toolkit and the system, of this workbook common/ and the scripts that compile.
in_jail_compiler() {
  set -- -- "$@"
  compiler_views >"$work/views"
  while IFS= read -r view; do
    [ -z "$view" ] || [ ! -e "$view" ] || set -- --see "$view" "$@"
  done <"$work/views"
  # The jail itself has no variable of the user's either: a program in it can read those of its first process.
  timeout --foreground 600 env -i PATH="$PATH" LANG=C.UTF-8 HOME="$work/out" TMPDIR="$work/out/tmp" CCACHE_DISABLE=1 QUIET=1 \
    ALL_DEPENDENCIES=1 ARCH_OF="$work/arch_of" ${NVCC_CCBIN:+NVCC_CCBIN="$NVCC_CCBIN"} ${NANOBIND_OBJECT:+NANOBIND_OBJECT="$NANOBIND_OBJECT"} \
    "$JAIL" --backend "$JAIL_BACKEND" --hide "$PWD" --write "$work/out" --folder "$PWD" --memory 4096 --file 256 --seconds 300 "$@" </dev/null
}
